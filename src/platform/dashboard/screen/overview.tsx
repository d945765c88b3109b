/** Dashboard of the platform: revenue, growth, state of workspaces and subscriptions, recent activity. */
import type { ComponentChildren } from 'preact'
import { call } from '#console/client/api.ts'
import { Chart } from '#console/client/parts/chart.tsx'
import { Levels } from '#console/client/parts/levels.tsx'
import { ScreenFrame } from '#console/client/parts/screen.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { Trouble } from '#console/client/parts/trouble.tsx'
import { useAnswer } from '#console/client/screens/data.ts'
import { listAddress, recordAddress, summaryOf } from '#console/client/screens/shape.ts'
import { counted, textFor } from '#console/client/screens/values.tsx'
import { named } from '#console/client/texts/labels.ts'
import { moment } from '#console/client/texts/texts.ts'
import { t } from './texts.ts'

interface Figures {
  workspaces: Record<'total' | 'active' | 'suspended' | 'archived' | 'new_this_month', number>
  module_subscriptions: Record<'total' | 'trialing' | 'active' | 'past_due' | 'cancelled' | 'expired', number>
  revenue: { currency: string; mrr: number; by_currency: { currency: string; mrr: number }[] }
  growth: { month: string; count: number }[]
  revenue_series: { month: string; amount: number }[]
  recent_tenants: { id: number; workspace_name: string; slug: string; created_at: string }[]
  recent_subscriptions: {
    id: number
    tenant: { id: number; workspace_name: string }
    module: { name: string }
    created_at: string
  }[]
  recent_activities: { id: number; title: string; actor: string | null; created_at: string }[]
}

export default function Overview() {
  const { answer, error, again } = useAnswer('/dashboard')
  return (
    <ScreenFrame title={t('title')}>
      {answer ? (
        <Shown figures={answer.data} />
      ) : error ? (
        <Trouble error={error} again={again} />
      ) : (
        <p class="quiet">{t('loading')}</p>
      )}
    </ScreenFrame>
  )
}

const money = (value: number, currency: string) => textFor({ name: 'amount', label: '', kind: 'money' }, value, { currency })

const Card = ({
  title,
  to,
  beside,
  children,
}: {
  title: string
  to?: string | undefined
  beside?: string
  children: ComponentChildren
}) => (
  <section class="widget">
    <h2>
      {to ? <a href={to}>{title}</a> : title}
      {beside && <span class="quiet">{beside}</span>}
    </h2>
    {children}
  </section>
)

/** Returns the address of a list if the user may see it. */
const listOf = (key: string) => summaryOf(key) && listAddress({ key })

function Shown({ figures }: { figures: Figures }) {
  const { workspaces, module_subscriptions: subscriptions, revenue, growth, revenue_series: billed } = figures
  const { total, new_this_month } = workspaces
  const tenants = summaryOf('tenants')
  const tenant = ({ id, workspace_name }: { id: number; workspace_name: string }) =>
    tenants?.has_record ? <a href={recordAddress(tenants, id)}>{workspace_name}</a> : workspace_name
  return (
    <div class="widgets dashboard-overview">
      <Card title={t('mrr')}>
        {revenue.by_currency.length ? (
          <ul class="dashboard-sums">
            {revenue.by_currency.map(({ currency, mrr }) => (
              <li key={currency}>{money(mrr, currency)}</li>
            ))}
          </ul>
        ) : (
          <p class="quiet">{t('none')}</p>
        )}
      </Card>
      <Card title={t('operations')}>
        <Operations />
      </Card>
      <Card title={t('revenue', { currency: revenue.currency })} to={listOf('invoices')}>
        <Chart
          title={t('revenue', { currency: revenue.currency })}
          unit="month"
          periods={billed.map(({ month }) => `${month}-01`)}
          lines={[{ name: t('billed'), values: billed.map(({ amount }) => amount) }]}
          say={(value) => money(value, revenue.currency)}
        />
      </Card>
      <Card title={t('growth')} to={listOf('tenants')}>
        <Chart
          title={t('growth')}
          unit="month"
          periods={growth.map(({ month }) => `${month}-01`)}
          lines={[{ name: t('made'), values: growth.map(({ count }) => count) }]}
        />
      </Card>
      <Card
        title={t('workspaces')}
        to={listOf('tenants')}
        beside={t('newThisMonth', { total: counted.format(total), count: counted.format(new_this_month) })}
      >
        <States counts={workspaces} states={['active', 'suspended', 'archived']} />
      </Card>
      <Card
        title={t('subscriptions')}
        to={listOf('module-subscriptions')}
        beside={t('all', { total: counted.format(subscriptions.total) })}
      >
        <States counts={subscriptions} states={['trialing', 'active', 'past_due', 'cancelled', 'expired']} />
      </Card>
      <Card title={t('recentTenants')}>
        <Recent rows={figures.recent_tenants} says={(row) => <span>{tenant(row)}</span>} />
      </Card>
      <Card title={t('recentSubscriptions')}>
        <Recent
          rows={figures.recent_subscriptions}
          says={({ tenant: of, module }) => (
            <>
              <span>{tenant(of)}</span>
              <span class="quiet">{module.name}</span>
            </>
          )}
        />
      </Card>
      <Card title={t('recentActivities')}>
        <Recent
          rows={figures.recent_activities}
          says={({ title, actor }) => (
            <>
              <span>{named(title)}</span>
              <span class="quiet">{actor ?? t('service')}</span>
            </>
          )}
        />
      </Card>
    </div>
  )
}

const States = <S extends 'active' | 'suspended' | 'archived' | 'trialing' | 'past_due' | 'cancelled' | 'expired'>({
  counts,
  states,
}: {
  counts: Record<S, number>
  states: S[]
}) => (
  <Levels
    name={t('state')}
    value={t('howMany')}
    levels={states.map((state) => ({ key: state, label: t(state), value: counts[state] }))}
  />
)

function Recent<R extends { id: number; created_at: string }>({
  rows,
  says,
}: {
  rows: R[]
  says: (row: R) => ComponentChildren
}) {
  if (!rows.length) return <p class="quiet">{t('nothing')}</p>
  return (
    <ul class="dashboard-recent">
      {rows.map((row) => (
        <li key={row.id}>
          {says(row)}
          <time class="quiet" dateTime={row.created_at}>
            {moment.format(new Date(row.created_at))}
          </time>
        </li>
      ))}
    </ul>
  )
}

/** Links to the operations dashboards. They open by a one-time link that is requested on click. */
function Operations() {
  const open = async (path: '/queue-dashboard/enter' | '/metrics-dashboard/enter') => {
    const tab = window.open('', '_blank')
    try {
      const { data } = await call('get', path)
      if (tab) tab.location.href = data.url
      else location.assign(data.url)
    } catch (error) {
      tab?.close()
      tell((error as Error).message)
    }
  }
  return (
    <>
      <p class="quiet">{t('operationsSay')}</p>
      <p class="tools">
        <button type="button" onClick={() => void open('/queue-dashboard/enter')}>
          {t('queues')}
        </button>
        <button type="button" onClick={() => void open('/metrics-dashboard/enter')}>
          {t('metrics')}
        </button>
      </p>
    </>
  )
}
