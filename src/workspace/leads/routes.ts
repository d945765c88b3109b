import { z } from 'zod'
import { exportTypes } from '#kernel/export/file.ts'
import { action, activityRoutes, recordRoutes } from '#kernel/http/record-routes.ts'
import { under, workspace } from '#kernel/http/route.ts'
import { Paging } from '#kernel/records/listing.ts'
import { AssignLead, assignLead } from './assignment/assigning.ts'
import { BulkAssign, BulkAssigned, bulkAssign } from './assignment/bulk.ts'
import { assignmentList, LeadAssignment } from './assignment/history.ts'
import { BoardColumn, boardQuery, readBoard } from './board.ts'
import { changeLead } from './changing.ts'
import { ConvertLead, convert } from './conversion/converting.ts'
import { createLead } from './creation/creating.ts'
import { exportLeads } from './export.ts'
import followUpRoutes from './follow-ups/routes.ts'
import importRoutes from './imports/routes.ts'
import { leadList, leads } from './leads.ts'
import { ChangeLead, CreateLead } from './schema.ts'
import socialAdRoutes from './social-ads/routes.ts'
import { MoveLead, moveToStage } from './stages/moving.ts'
import { LeadStage, stageList } from './stages/stages.ts'
import { leadStats } from './stats.ts'
import tagRoutes from './tags/routes.ts'
import { retag, TagLead } from './tags/tagging.ts'
import webhookRoutes from './webhooks/routes.ts'

const { get, post, put, multiTransaction } = workspace

const leadRoutes = [
  multiTransaction.get('/export', { allow: 'leads.export', query: leadList.exportQuery, file: exportTypes }, (steps, { query }) =>
    exportLeads(steps, query),
  ),
  ...importRoutes,
  get('/board', { allow: 'leads.view', query: boardQuery, reply: z.array(BoardColumn) }, (ctx, { query }) =>
    readBoard(ctx, query),
  ),
  ...recordRoutes(leads, {
    list: leadList,
    stats: leadStats,
    body: CreateLead,
    changes: ChangeLead,
    create: createLead,
    update: changeLead,
  }),
  ...activityRoutes(leads),
  ...followUpRoutes,
  action(leads, '/:id/assign', { allow: 'leads.assign', body: AssignLead, message: 'Assignment saved.' }, assignLead),
  post(
    '/bulk-assign',
    { allow: 'leads.assign', body: BulkAssign, reply: BulkAssigned, message: 'Assignments saved.' },
    (ctx, { body }) => bulkAssign(ctx, body),
  ),
  get('/:id/assignment-history', { allow: 'leads.view', query: Paging, page: LeadAssignment }, async (ctx, { id, query }) => {
    await leads.find(ctx, id)
    return assignmentList.page(ctx, { ...query, lead_id: id })
  }),
  action(
    leads,
    '/:id/stage',
    {
      operation: 'moveLead',
      summary: 'Move a lead to another stage',
      allow: 'leads.update',
      body: MoveLead,
      message: 'Stage changed.',
    },
    (ctx, lead, body) => moveToStage(ctx, lead, body.stage_id),
  ),
  action(leads, '/:id/convert', { allow: 'leads.convert', body: ConvertLead, message: 'Lead converted.' }, convert),
  put(
    '/:id/tags',
    { allow: 'leads.update', record: leads.lock, body: TagLead, reply: leads.detail, message: 'Tags saved.' },
    async (ctx, { id, record, body }) => {
      await retag(ctx, record, body)
      return leads.renderUnscoped(ctx, id)
    },
  ),
]

export default [
  get('/lead-stages', { allow: 'leads.view', query: stageList.query, page: LeadStage }, (ctx, { query }) =>
    stageList.page(ctx, query),
  ),
  ...tagRoutes,
  ...under('/leads', leadRoutes),
  ...under('/leads/integrations/webhooks', webhookRoutes),
  ...under('/leads/integrations/social-ads', socialAdRoutes),
]
