import { z } from 'zod'
import { exportTypes } from '#kernel/export/file.ts'
import { listExport, lookupRoutes } from '#kernel/http/lookup-routes.ts'
import { action, activityRoutes, recordRoutes } from '#kernel/http/record-routes.ts'
import { under, workspace } from '#kernel/http/route.ts'
import { Paging } from '#kernel/records/listing.ts'
import { AssignLead, assignLead, BulkAssign, BulkAssigned, bulkAssign } from './assignment.ts'
import { assignmentList, LeadAssignment } from './assignment-history.ts'
import { ConvertLead, convert, refuseConverted } from './conversion.ts'
import { exportLeads } from './export.ts'
import followUpRoutes from './follow-up-routes.ts'
import importRoutes from './imports/routes.ts'
import { leadList, leads } from './leads.ts'
import { BoardColumn, boardQuery, MoveLead, moveToStage, readBoard } from './pipeline.ts'
import { changeLead, createLead } from './saving.ts'
import { ChangeLead, CreateLead } from './schema.ts'
import socialAdRoutes from './social-ads/routes.ts'
import { LeadStage, stageList } from './stages.ts'
import { leadSeries, leadStats } from './stats.ts'
import { retag, TagLead } from './tagging.ts'
import { CreateTag, createTag, deleteTag, LeadTag, ReorderTags, reorderTags, tagList, tags, updateTag } from './tags.ts'
import webhookRoutes from './webhooks/routes.ts'

/** LEAD-21. */
const tagRoutes = [
  ...lookupRoutes(tags, '/lead-tags', {
    list: tagList,
    body: CreateTag,
    allow: { view: 'leads.view', create: 'leads.create', update: 'leads.update', delete: 'leads.delete' },
    create: createTag,
    update: updateTag,
    remove: deleteTag,
  }),
  workspace.post(
    '/lead-tags/reorder',
    {
      allow: 'leads.update',
      grants: false,
      body: ReorderTags,
      reply: z.array(LeadTag),
      message: 'Tags reordered.',
      description: 'Sets the order of the tags. `sort_order` follows the ids as they are sent.',
    },
    (ctx, { body }) => reorderTags(ctx, body),
  ),
]

const { get, post, put, multiTransaction } = workspace

const leadRoutes = [
  multiTransaction.get('/export', { allow: 'leads.export', query: leadList.exportQuery, file: exportTypes }, (steps, { query }) =>
    exportLeads(steps, query),
  ),
  ...importRoutes,
  get(
    '/board',
    {
      allow: 'leads.view',
      description:
        'Answers the leads as columns of a board, one for each stage of the pipeline, with their number, their value and the first of them.',
      query: boardQuery,
      reply: z.array(BoardColumn),
    },
    (ctx, { query }) => readBoard(ctx, query),
  ),
  ...recordRoutes(leads, {
    list: leadList,
    stats: leadStats,
    series: leadSeries,
    body: CreateLead,
    changes: ChangeLead,
    create: createLead,
    update: changeLead,
    export: false,
  }),
  ...activityRoutes(leads),
  ...followUpRoutes,
  action(
    leads,
    '/:id/assign',
    {
      allow: 'leads.assign',
      grants: false,
      body: AssignLead,
      message: 'Assignment saved.',
      description:
        'Gives the lead to a user, with a reason for the history, or with null to nobody. The owner, suspended users and those excluded from leads are a 422.',
    },
    assignLead,
  ),
  post(
    '/bulk-assign',
    {
      allow: 'leads.assign',
      grants: false,
      body: BulkAssign,
      reply: BulkAssigned,
      message: 'Assignments saved.',
      description: 'Gives several leads to one user, or shares them out. Each new assignee gets one notification for all.',
    },
    (ctx, { body }) => bulkAssign(ctx, body),
  ),
  get(
    '/:id/assignment-history',
    {
      allow: 'leads.view',
      description: 'Answers a page of who had the lead and when, the newest first.',
      query: Paging,
      page: LeadAssignment,
    },
    async (ctx, { id, query }) => {
      await leads.find(ctx, id)
      return assignmentList.page(ctx, { ...query, lead_id: id })
    },
  ),
  action(
    leads,
    '/:id/stage',
    {
      operation: 'moveLead',
      description: 'Moves the lead to another stage of the pipeline. Its status stays as it is.',
      summary: 'Move a lead to another stage',
      allow: 'leads.update',
      grants: false,
      body: MoveLead,
      message: 'Stage changed.',
    },
    (ctx, lead, body) => moveToStage(ctx, lead, body.stage_id, body.reason),
  ),
  action(
    leads,
    '/:id/convert',
    {
      allow: 'leads.convert',
      grants: false,
      guard: refuseConverted,
      body: ConvertLead,
      message: 'Lead converted.',
      description:
        'Makes a customer of the lead: a contact, a company by its name, and an opportunity where asked, as far as these modules are installed. The lead is closed.',
    },
    convert,
  ),
  put(
    '/:id/tags',
    {
      allow: 'leads.update',
      grants: false,
      record: leads.lock,
      body: TagLead,
      reply: leads.detail,
      message: 'Tags saved.',
      description:
        'Replaces the lead’s tags. A tag that forces a follow-up needs `follow_up`; one that plans it makes the follow-up itself.',
    },
    async (ctx, { id, record, body }) => {
      await retag(ctx, record, body)
      return leads.renderUnscoped(ctx, id)
    },
  ),
]

export default [
  listExport(stageList.of, '/lead-stages', { list: stageList, allow: 'leads.view' }),
  get(
    '/lead-stages',
    {
      allow: 'leads.view',
      description: 'Answers a page of the stages of the pipeline, in their order.',
      query: stageList.query,
      page: LeadStage,
    },
    (ctx, { query }) => stageList.page(ctx, query),
  ),
  ...tagRoutes,
  ...under('/leads', leadRoutes),
  ...under('/leads/integrations/webhooks', webhookRoutes),
  ...under('/leads/integrations/social-ads', socialAdRoutes),
]
