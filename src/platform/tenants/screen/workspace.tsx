/** Screen of a workspace for operators: owner, usage, subscriptions, invoices, payments and activity. */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { Answered } from '#console/client/parts/answered.tsx'
import { Paging } from '#console/client/parts/paging.tsx'
import { type Shown, useAnswer } from '#console/client/screens/data.ts'
import { dayOf } from '#console/client/screens/days.ts'
import { RecordScreen } from '#console/client/screens/record.tsx'
import { type Field, listAddress, type Row, recordAddress, type Screen, summaryOf } from '#console/client/screens/shape.ts'
import { sizeText } from '#console/client/screens/sizes.ts'
import { counted, textFor, tone } from '#console/client/screens/values.tsx'
import { moment } from '#console/client/texts/texts.ts'
import { t } from './texts.ts'

/** Derived fields and parts that this screen shows in shorter form. */
const WITHOUT = [
  ...['installed_modules', 'storage_allowance_bytes', 'storage_used_bytes'],
  ...['module-subscriptions', 'invoices', 'payments', 'audit-logs'],
]
const LATEST = '6'
const PER_PAGE = 5

export default function Workspace({ screen, id }: { screen: Screen; id: string }) {
  return <RecordScreen screen={screen} id={id} top={Top} without={WITHOUT} />
}

const Top = ({ screen, row: workspace }: { screen: Screen; row: Row }) => {
  const id = String(workspace.id)
  return (
    <>
      <Standing workspace={workspace} />
      {summaryOf('module-subscriptions') && <Subscriptions id={id} />}
      {summaryOf('invoices') && <Invoices id={id} />}
      {summaryOf('payments') && <Payments screen={screen} id={id} />}
      <Happened screen={screen} id={id} />
    </>
  )
}

const money = (value: unknown, currency: string) => textFor({ name: 'amount', label: '', kind: 'money' }, value, { currency })
const day = (value: string | null) =>
  value && textFor({ name: 'day', label: '', kind: value.length > 10 ? 'instant' : 'date' }, value, {})
const INSTANT = { kind: 'instant' } as const
const State = ({ of }: { of: string }) => <span class={`tag ${tone(of)}`}>{t(of as 'active')}</span>

/** Owner and storage usage. */
function Standing({ workspace }: { workspace: Row }) {
  const { owner, storage_used_bytes: used, storage_allowance_bytes: allowed } = workspace
  return (
    <dl class="facts tenants-standing">
      <div>
        <dt>{t('owner')}</dt>
        <dd>
          {owner ? (
            <>
              {owner.name} <a href={`mailto:${owner.email}`}>{owner.email}</a>{' '}
              {!owner.email_verified_at && <span class="tag warn">{t('unproven')}</span>}
            </>
          ) : (
            t('nobody')
          )}
        </dd>
      </div>
      <div>
        <dt id="tenants-storage">{t('storage')}</dt>
        <dd>
          {t('usedOf', { used: sizeText(used), allowed: sizeText(allowed) })}
          <meter aria-labelledby="tenants-storage" min={0} max={Math.max(1, allowed)} high={allowed * 0.9} value={used} />
        </dd>
      </div>
    </dl>
  )
}

interface SectionProps {
  title: string
  /** Full list, and its filter by workspace. */
  to: { key: string; id: string }
  of: Shown
  none: string
  children: (rows: Row[]) => ComponentChildren
}

function Section({ title, to, of, none, children }: SectionProps) {
  const total = of.answer?.meta?.total ?? 0
  return (
    <section>
      <div class="head tenants-head">
        <h2>{title}</h2>
        {total > 0 && (
          <a href={`${listAddress(to)}?tenant_id=${encodeURIComponent(to.id)}`}>{t('all', { count: counted.format(total) })}</a>
        )}
      </div>
      <Answered of={of}>{({ data }) => (total === 0 ? <p class="quiet">{none}</p> : children(data))}</Answered>
    </section>
  )
}

/** Column heading; in an array for numeric columns. */
type Head = string | [figures: string]
const Table = ({ name, heads, children }: { name: string; heads: Head[]; children: ComponentChildren }) => (
  <section class="table-wrap" aria-label={name}>
    <table class="stacked">
      <thead>
        <tr>
          {heads.map((head) => (
            <th key={String(head)} scope="col" class={Array.isArray(head) ? 'numbers' : undefined}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
)

/** Label inside a cell, for phones, where the column headings are hidden. */
const Named = ({ by }: { by: string }) => (
  <span class="tenants-named" aria-hidden="true">
    {by}{' '}
  </span>
)

const isLive = ({ status }: Row) => ['trialing', 'active', 'past_due'].includes(status)
const isPaid = ({ price }: Row) => Number(price) > 0

/** Returns the monthly recurring revenue by currency: yearly plans count one twelfth, rounded as displayed. */
function monthly(rows: Row[]) {
  const sums = new Map<string, number>()
  for (const { price, currency, billing_cycle } of rows)
    sums.set(currency, (sums.get(currency) ?? 0) + Math.round((Number(price) * 10_000) / (billing_cycle === 'yearly' ? 12 : 1)))
  return [...sums].map(([currency, sum]) => money(sum / 10_000, currency))
}

function Subscriptions({ id }: { id: string }) {
  const of = useAnswer('/module-subscriptions', { tenant_id: id, per_page: '100' })
  const nameOf = ({ module, module_key }: Row): string => module?.name ?? module_key
  return (
    <Section title={t('subscriptions')} to={{ key: 'module-subscriptions', id }} of={of} none={t('noSubscriptions')}>
      {(rows) => {
        const paid = rows.filter(isPaid).toSorted((a, b) => Number(isLive(b)) - Number(isLive(a)) || b.price - a.price)
        const free = rows.filter((one) => !isPaid(one) && isLive(one)).map((one) => [one.id, nameOf(one)] as const)
        const sums = monthly(paid.filter((one) => isLive(one) && one.status !== 'trialing'))
        return (
          <>
            {sums.length > 0 && <p class="tenants-sum">{t('monthlySum', { sum: sums.join(' + ') })}</p>}
            {paid.length > 0 && (
              <Table name={t('subscriptions')} heads={[t('module'), t('state'), [t('price')], t('cycle'), t('renews')]}>
                {paid.map((one) => (
                  <tr key={one.id}>
                    <th scope="row">
                      <a href={recordAddress({ key: 'module-subscriptions' }, one.id)}>{nameOf(one)}</a>
                    </th>
                    <td>
                      <State of={one.status} />
                    </td>
                    <td class="numbers">{money(one.price, one.currency)}</td>
                    <td>{t(one.billing_cycle)}</td>
                    <td class="quiet">
                      {isLive(one)
                        ? one.cancel_at_period_end
                          ? t('endsOn', { day: day(one.period_end) ?? '' })
                          : day(one.period_end)
                        : t('endedOn', { day: day(one.ended_at) ?? '' })}
                    </td>
                  </tr>
                ))}
              </Table>
            )}
            {free.length > 0 && (
              <details class="tenants-free">
                <summary>{t('free', { count: counted.format(free.length) })}</summary>
                <ul>
                  {free.map(([subscription, name]) => (
                    <li key={subscription}>
                      <a href={recordAddress({ key: 'module-subscriptions' }, subscription)}>{name}</a>
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </>
        )
      }}
    </Section>
  )
}

function Invoices({ id }: { id: string }) {
  const open = useAnswer('/invoices', { tenant_id: id, status: 'open', per_page: '100' }).answer
  const of = useAnswer('/invoices', { tenant_id: id, per_page: LATEST })
  return (
    <Section title={t('invoices')} to={{ key: 'invoices', id }} of={of} none={t('noInvoices')}>
      {(latest) => {
        const unpaid: Row[] = open?.data ?? []
        // Unpaid invoices come first, whatever their age.
        const rows = [...unpaid, ...latest.filter((one) => !unpaid.some((other) => other.id === one.id))]
        return (
          <Table name={t('invoices')} heads={[t('number'), t('state'), [t('total')], [t('due')], t('issued'), t('until')]}>
            {rows.map((one) => (
              <tr key={one.id}>
                <th scope="row">
                  <a href={recordAddress({ key: 'invoices' }, one.id)}>{one.number}</a>
                </th>
                <td>
                  <State of={one.status === 'open' && new Date(one.due_at) < new Date() ? 'overdue' : one.status} />
                </td>
                <td class="numbers">{money(one.total, one.currency)}</td>
                <td class="numbers">
                  {Number(one.balance_due) > 0 && (
                    <>
                      <Named by={t('due')} />
                      {money(one.balance_due, one.currency)}
                    </>
                  )}
                </td>
                <td class="quiet">{day(dayOf(INSTANT, one.issued_at))}</td>
                <td class="quiet">
                  {one.status === 'open' && (
                    <>
                      <Named by={t('until')} />
                      {day(dayOf(INSTANT, one.due_at))}
                    </>
                  )}
                </td>
              </tr>
            ))}
          </Table>
        )
      }}
    </Section>
  )
}

/** Returns a column of a workspace's list, which has the labels of its codes. */
const columnOf = (screen: Screen, part: string, name: string): Field =>
  screen.parts.find(({ key }) => key === part)?.list.columns.find((one) => one.name === name) ?? {
    ...{ name, label: '', kind: 'text', options: [] },
  }

function Payments({ screen, id }: { screen: Screen; id: string }) {
  const gateway = columnOf(screen, 'payments', 'gateway')
  const of = useAnswer('/payments', { tenant_id: id, per_page: LATEST })
  return (
    <Section title={t('payments')} to={{ key: 'payments', id }} of={of} none={t('noPayments')}>
      {(rows) => (
        <Table name={t('payments')} heads={[t('when'), t('state'), [t('amount')], t('by'), t('invoice')]}>
          {rows.map((one) => (
            <tr key={one.id}>
              <th scope="row">
                <a href={recordAddress({ key: 'payments' }, one.id)}>{day(one.created_at)}</a>
              </th>
              <td>
                <State of={one.status} />
                {one.failure_message && <span class="quiet"> {one.failure_message}</span>}
              </td>
              <td class="numbers">{money(one.amount, one.currency)}</td>
              <td>{textFor(gateway, one.gateway, one)}</td>
              <td>
                {one.invoice &&
                  (summaryOf('invoices')?.has_record ? (
                    <a href={recordAddress({ key: 'invoices' }, one.invoice.id)}>{one.invoice.number}</a>
                  ) : (
                    one.invoice.number
                  ))}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Section>
  )
}

const Deed = ({ of, row: { event, actor, impersonator, created_at } }: { of: Field; row: Row }) => (
  <li>
    <span>{textFor(of, event, {})}</span>
    <small>
      {[actor?.name || t('service'), impersonator && t('behind', { name: impersonator.name })].filter(Boolean).join(', ')} ·{' '}
      <time dateTime={created_at}>{moment.format(new Date(created_at))}</time>
    </small>
  </li>
)

function Happened({ screen, id }: { screen: Screen; id: string }) {
  const page = useSignal(1)
  const query = { per_page: String(PER_PAGE), page: String(page.value) }
  const told = useAnswer(`/tenants/${encodeURIComponent(id)}/audit-logs`, query)
  const last = told.answer?.meta?.last_page ?? 1
  const event = columnOf(screen, 'audit-logs', 'event')
  return (
    <section>
      <h2>{t('happened')}</h2>
      <Answered of={told}>
        {({ data: rows }) =>
          rows.length === 0 ? (
            <p class="quiet">{t('nothing')}</p>
          ) : (
            <ol class="happened">
              {rows.map((row: Row) => (
                <Deed key={row.id} of={event} row={row} />
              ))}
            </ol>
          )
        }
      </Answered>
      {last > 1 && (
        <nav class="pages" aria-label={t('happened')}>
          <span class="numbers">{t('pageOf', { page: counted.format(page.value), last: counted.format(last) })}</span>
          <Paging page={page.value} last={last} to={(next) => void (page.value = next)} names={[t('later'), t('earlier')]} />
        </nav>
      )}
    </section>
  )
}
