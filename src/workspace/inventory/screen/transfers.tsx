/** Transfers between warehouses, with their next action in the list. */
import { useSignal } from '@preact/signals'
import { call } from '#console/client/api.ts'
import { Answered, Empty } from '#console/client/parts/answered.tsx'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { ScreenFrame } from '#console/client/parts/screen.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { changed, useAnswer } from '#console/client/screens/data.ts'
import { drawnList, ListTools } from '#console/client/screens/drawn-list.tsx'
import { Filters } from '#console/client/screens/filters.tsx'
import { queryOf } from '#console/client/screens/list-query.ts'
import { NewLink } from '#console/client/screens/new-link.tsx'
import { Pages } from '#console/client/screens/pages.tsx'
import { SortHead } from '#console/client/screens/rows.tsx'
import {
  type Action,
  filled,
  listAddress,
  may,
  type Row,
  recordAddress,
  type Screen,
  summaryOf,
} from '#console/client/screens/shape.ts'
import { tone } from '#console/client/screens/values.tsx'
import { sentence } from '#console/client/texts/labels.ts'
import { t as common, moment } from '#console/client/texts/texts.ts'
import { t } from './texts.ts'

export default drawnList(Transfers)

const STEPS = { dispatch: 'dispatch', complete: 'complete', cancel: 'cancelTransfer' } as const
type Step = keyof typeof STEPS

function Transfers({ screen }: { screen: Screen }) {
  const query = queryOf(screen)
  const transfers = useAnswer(screen.path, query)
  const cancelling = useSignal<Row | undefined>(undefined)
  const busy = useSignal<ReadonlySet<number>>(new Set())
  const stock = summaryOf('inventory-stock')
  const states = screen.list.columns.find(({ name }) => name === 'status')?.options ?? []
  const stateOf = (row: Row) => states.find(({ value }) => value === row.status)?.label ?? String(row.status)
  const isFiltered = Object.keys(query).some((name) => ['search', 'status', 'warehouse_id'].includes(name))

  const actionOf = (step: Step): Action | undefined => screen.actions.find(({ path }) => path.endsWith(`/${step}`))
  const stepsOf = (row: Row) =>
    (Object.keys(STEPS) as Step[]).filter((step) => {
      const action = actionOf(step)
      const move = screen.lifecycle?.moves.find(({ name }) => name === step)
      return action && may(action.allow) && move?.from.includes(row.status)
    })
  const act = async (step: Step, row: Row) => {
    if (busy.value.has(row.id)) return
    busy.value = new Set([...busy.value, row.id])
    try {
      const { message } = await call('post', filled(actionOf(step)!.path, row.id), { body: {} })
      tell(`${row.number}: ${message ? sentence(message) : common('done')}`)
    } catch (error) {
      tell(`${row.number}: ${(error as Error).message}`)
    }
    busy.value = new Set([...busy.value].filter((id) => id !== row.id))
    changed()
  }
  const button = (step: Step, row: Row, kind: string) => (
    <button
      key={step}
      type="button"
      class={kind}
      aria-disabled={busy.value.has(row.id)}
      aria-label={t('deedOf', { deed: t(STEPS[step]), name: row.number })}
      onClick={() => (step === 'cancel' ? (cancelling.value = row) : void act(step, row))}
    >
      {t(STEPS[step])}
    </button>
  )
  return (
    <ScreenFrame
      title={screen.title}
      tools={
        <>
          <ListTools screen={screen} query={query}>
            {stock && (
              <a class="button" href={listAddress(stock)}>
                {t('stock')}
              </a>
            )}
          </ListTools>
          <NewLink screen={screen} />
        </>
      }
    >
      <Filters screen={screen} query={query} />
      <Answered of={transfers}>
        {({ data: rows, meta }: { data: Row[]; meta: any }) =>
          rows.length === 0 ? (
            <Empty title={t('noTransfers')} says={isFiltered ? common('emptyFoundSays') : t('noTransfersSays')} />
          ) : (
            <>
              <section class="table-wrap" aria-label={screen.title}>
                <table class="stacked inventory-table">
                  <thead>
                    <tr>
                      <SortHead by="number" label={t('number')} query={query} usual="desc" />
                      <SortHead by="status" label={t('state')} query={query} />
                      <th scope="col">{t('fromTo')}</th>
                      <th scope="col">{t('by')}</th>
                      <SortHead by="created_at" label={t('made')} query={query} usual="desc" />
                      <th scope="col">
                        <span class="unseen">{t('deeds')}</span>
                      </th>
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((row) => (
                      <tr key={row.id}>
                        <th scope="row">
                          <a class="title" href={recordAddress(screen, row.id)}>
                            {row.number}
                          </a>
                        </th>
                        <td>
                          <span class={`tag ${tone(String(row.status))}`}>{stateOf(row)}</span>
                        </td>
                        <td class="inventory-way">
                          {row.from_warehouse?.name} <span aria-hidden="true">→</span> {row.to_warehouse?.name}
                        </td>
                        <td class="quiet">{row.creator?.name}</td>
                        <td class="quiet">
                          <time dateTime={row.created_at}>{moment.format(new Date(row.created_at))}</time>
                        </td>
                        <td class="inventory-deeds">
                          {stepsOf(row).map((step) => button(step, row, step === 'cancel' ? 'plain' : ''))}
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </section>
              <Pages meta={meta} shown={rows.length} />
            </>
          )
        }
      </Answered>
      {cancelling.value && (
        <Dialog title={t('cancelTitle', { name: cancelling.value.number })} close={() => (cancelling.value = undefined)}>
          <div class="dialog-body">
            <p>{t('cancelSays', { warehouse: cancelling.value.from_warehouse?.name ?? '' })}</p>
            <div class="dialog-foot">
              <button type="button" onClick={() => (cancelling.value = undefined)}>
                {t('keepIt')}
              </button>
              <button
                type="button"
                class="danger"
                onClick={() => {
                  const row = cancelling.value!
                  cancelling.value = undefined
                  void act('cancel', row)
                }}
              >
                {t('cancelTransfer')}
              </button>
            </div>
          </div>
        </Dialog>
      )}
    </ScreenFrame>
  )
}
