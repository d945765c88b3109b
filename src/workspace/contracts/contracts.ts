/** Contracts: list, statistics, and creating and changing drafts. */
import type { z } from 'zod'
import type { Ctx } from '#kernel/context.ts'
import { invalid } from '#kernel/errors.ts'
import { filter, listing } from '#kernel/records/listing.ts'
import { type Row, resource } from '#kernel/records/resource.ts'
import { createRecord, updateRecord } from '#kernel/records/saving.ts'
import { statsOf } from '#kernel/records/stats.ts'
import { refuseFractions } from '#kernel/values/money.ts'
import { acceptanceSentences } from '#workspace/acceptance/public.ts'
import { offerSentences, recipientAddresses } from '#workspace/billing-documents/public.ts'
import { lifecycle } from './lifecycle.ts'
import { Contract, ContractDetail, CreateContract, UpdateContract } from './schema.ts'

export type ContractRow = Row<'contracts'>

export const contracts = resource({
  table: 'contracts',
  module: 'contracts',
  noun: 'contract',
  title: 'number',
  item: Contract,
  detail: ContractDetail,
  numberPrefix: 'contracts_number_prefix',
  assign: 'contracts.assign',
  tallied: ['status', 'assigned_to'],
  activityTemplates: { ...acceptanceSentences, ...offerSentences },
  timelineHides: recipientAddresses('contracts'),
})

export const contractList = listing(contracts, {
  search: { through: { contact_id: 'contacts', company_id: 'companies' } },
  filters: {
    status: filter.oneOf('status', lifecycle.states),
    contact_id: filter.id('contact_id'),
    company_id: filter.id('company_id'),
    assigned_to: filter.assignee(),
    my_contracts: filter.mine(),
  },
})

export const contractStats = statsOf('ContractStats', contractList, {
  total: 'total_contracts',
  mine: 'my_contracts',
  states: lifecycle.states,
})

/** Creates a draft with the next number, by default in the workspace's currency. */
export async function create(ctx: Ctx, body: z.output<typeof CreateContract>) {
  const contract = { ...body, currency: body.currency ?? ctx.tenant.currency }
  judge(contract)
  return createRecord(ctx, contracts, CreateContract, contract)
}

/** Changes the sent fields; drafts only: a contract that was sent to a customer never changes. */
export async function update(ctx: Ctx, contract: ContractRow, body: z.output<typeof UpdateContract>) {
  const sent = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
  judge({ ...contract, ...sent })
  await updateRecord(ctx, contracts, UpdateContract, contract, body)
}

/** 422 on an end before the start, and on a value with more decimals than its currency has. */
function judge({ starts_on, ends_on, value, currency }: Partial<ContractRow>) {
  if (starts_on && ends_on && ends_on < starts_on) throw invalid({ ends_on: 'Must not be before starts_on.' })
  refuseFractions(currency!, { value })
}
