/** Goods on their way from one warehouse to another, each led on from the list. */
import { useSignal } from '@preact/signals'
import { at, go } from '#console/client/addresses.ts'
import { call } from '#console/client/api.ts'
import { useEvents } from '#console/client/events.ts'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { Icon } from '#console/client/parts/icon.tsx'
import { Item, Menu } from '#console/client/parts/menu.tsx'
import { ScreenFrame } from '#console/client/parts/screen.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { Trouble } from '#console/client/parts/trouble.tsx'
import { changed, useAnswer } from '#console/client/screens/data.ts'
import { ExportItems, Filters, ListScreen, Pages, queryOf, refine } from '#console/client/screens/list.tsx'
import { NewLink } from '#console/client/screens/new-link.tsx'
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
import { Views } from '#console/client/screens/views.tsx'
import { sentence } from '#console/client/texts/labels.ts'
import { t as common, moment } from '#console/client/texts/texts.ts'
import { SortHead } from './levels.tsx'
import { t } from './texts.ts'

const ROWS = '#rows'

export default function Transfers({ screen }: { screen?: Screen }) {
  const isPlain = at.value.hash === ROWS || at.value.searchParams.has('trashed')
  return isPlain ? <ListScreen screen={screen!} /> : <TransfersScreen screen={screen!} />
}

const STEPS = { dispatch: 'dispatch', complete: 'complete', cancel: 'cancelTransfer' } as const
type Step = keyof typeof STEPS

function TransfersScreen({ screen }: { screen: Screen }) {
  const query = queryOf(screen)
  const { answer, error, again, isAged } = useAnswer(screen.path, query)
  const cancelling = useSignal<Row | undefined>(undefined)
  const busy = useSignal<ReadonlySet<number>>(new Set())
  useEvents(screen.resource, changed)
  const rows: Row[] = answer?.data ?? []
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
          <Views screen={screen} columns={[]} />
          {stock && (
            <a class="button" href={listAddress(stock)}>
              {t('stock')}
            </a>
          )}
          <Menu name={common('more')} kind="only-icon" label={<Icon name="more" />}>
            <ExportItems screen={screen} query={query} />
            <Item act={() => go(at.value.pathname + at.value.search + ROWS)}>
              <Icon name="columns" />
              {t('asRows')}
            </Item>
            <Item act={() => refine({ trashed: 'only' })}>{common('trash')}</Item>
          </Menu>
          <NewLink screen={screen} />
        </>
      }
    >
      <Filters screen={screen} query={query} />
      {error && !answer ? (
        <Trouble error={error} again={again} />
      ) : !answer ? (
        <p class="quiet" aria-busy="true">
          {common('loading')}
        </p>
      ) : rows.length === 0 ? (
        <div class="empty" role="status">
          <h2>{t('noTransfers')}</h2>
          <p class="quiet">{isFiltered ? common('emptyFoundSays') : t('noTransfersSays')}</p>
        </div>
      ) : (
        <div class={isAged && error ? 'aged' : undefined}>
          <section class="table-wrap" aria-label={screen.title}>
            <table class="inventory-table">
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
          <Pages meta={answer.meta} shown={rows.length} />
        </div>
      )}
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
