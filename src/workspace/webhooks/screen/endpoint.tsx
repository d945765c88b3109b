/** A webhook endpoint: how it stands and what was told to it, each delivery with its answer. The rest of the record is as it is derived. */
import { useSignal } from '@preact/signals'
import { call } from '#console/client/api.ts'
import { tell } from '#console/client/parts/toasts.tsx'
import { Trouble } from '#console/client/parts/trouble.tsx'
import { changed, useAnswer } from '#console/client/screens/data.ts'
import { RecordScreen } from '#console/client/screens/record.tsx'
import type { Row, Screen } from '#console/client/screens/shape.ts'
import { counted } from '#console/client/screens/values.tsx'
import { sentence } from '#console/client/texts/labels.ts'
import { moment } from '#console/client/texts/texts.ts'
import { t } from './texts.ts'

/** Drawn here, in place of the list that is derived. */
const WITHOUT = ['deliveries']
const PER_PAGE = 20
const STATES = ['waiting', 'delivered', 'failed'] as const
const TONES = { waiting: 'warn', delivered: 'good', failed: 'bad' }

interface Delivery {
  id: number
  event_id: number | null
  type: string
  status: (typeof STATES)[number]
  attempts: number
  next_attempt_at: string | null
  response_status: number | null
  response_excerpt: string | null
  error: string | null
  duration_ms: number | null
  created_at: string
}

const Top = ({ row }: { row: Row }) => (
  <>
    <Standing endpoint={row} />
    <Deliveries id={String(row.id)} />
  </>
)

export default function Endpoint({ screen, id }: { screen: Screen; id: string }) {
  return <RecordScreen screen={screen} id={id} top={Top} without={WITHOUT} />
}

const at = (instant: string) => moment.format(new Date(instant))

function Standing({ endpoint }: { endpoint: Row }) {
  const says = !endpoint.is_active
    ? endpoint.disabled_reason
      ? t('off', { reason: sentence(endpoint.disabled_reason) })
      : t('offByHand')
    : endpoint.failing_since && t('failing', { at: at(endpoint.failing_since) })
  return says ? <p class="notice bad">{says}</p> : null
}

function Deliveries({ id }: { id: string }) {
  const state = useSignal('')
  const page = useSignal(1)
  const { answer, error, again } = useAnswer(`/webhook-endpoints/${encodeURIComponent(id)}/deliveries`, {
    per_page: String(PER_PAGE),
    page: String(page.value),
    ...(state.value ? { status: state.value } : {}),
  })
  const retry = async (delivery: number) => {
    try {
      const { message } = await call('post', `/webhook-endpoints/${encodeURIComponent(id)}/deliveries/${delivery}/retry`, {
        body: {},
      })
      tell(sentence(message ?? ''))
      changed()
    } catch (failure) {
      tell((failure as Error).message)
    }
  }
  const rows: Delivery[] = answer?.data ?? []
  const { total = 0, last_page = 1 } = answer?.meta ?? {}
  const first = (page.value - 1) * PER_PAGE + 1
  return (
    <section class="webhooks-deliveries">
      <div class="head">
        <h2>{t('deliveries')}</h2>
        <label class="filter">
          <span>{t('state')}</span>
          <select
            value={state.value}
            onChange={(event) => {
              state.value = event.currentTarget.value
              page.value = 1
            }}
          >
            <option value="">{t('any')}</option>
            {STATES.map((one) => (
              <option key={one} value={one}>
                {t(one)}
              </option>
            ))}
          </select>
        </label>
      </div>
      {!answer ? (
        error ? (
          <Trouble error={error} again={again} />
        ) : (
          <p class="quiet">{t('loading')}</p>
        )
      ) : rows.length === 0 ? (
        <p class="quiet">{t(state.value ? 'noneSuch' : 'none')}</p>
      ) : (
        <ul aria-label={t('deliveries')}>
          {rows.map((delivery) => (
            <One key={delivery.id} delivery={delivery} retry={() => void retry(delivery.id)} />
          ))}
        </ul>
      )}
      {last_page > 1 && (
        <nav class="pages" aria-label={t('deliveries')}>
          <span class="numbers">
            {t('of', {
              from: counted.format(first),
              to: counted.format(first + rows.length - 1),
              total: counted.format(total),
            })}
          </span>
          <span class="tools">
            <button type="button" aria-disabled={page.value <= 1} onClick={() => page.value > 1 && page.value--}>
              {t('later')}
            </button>
            <button type="button" aria-disabled={page.value >= last_page} onClick={() => page.value < last_page && page.value++}>
              {t('earlier')}
            </button>
          </span>
        </nav>
      )}
    </section>
  )
}

function One({ delivery, retry }: { delivery: Delivery; retry: () => void }) {
  const {
    id,
    event_id,
    type,
    status,
    attempts,
    next_attempt_at,
    response_status,
    response_excerpt,
    error,
    duration_ms,
    created_at,
  } = delivery
  return (
    <li>
      <details>
        <summary>
          <span class={`tag ${TONES[status]}`}>{t(status)}</span>
          <span class="webhooks-type">{type}</span>
          <span class="numbers">{response_status ?? t('noAnswer')}</span>
          <span class="numbers">{duration_ms === null ? '' : t('ms', { count: counted.format(duration_ms) })}</span>
          <time dateTime={created_at}>{at(created_at)}</time>
        </summary>
        <dl class="facts">
          <Fact name={t('type')}>{event_id === null ? t('test') : t('event', { id: event_id })}</Fact>
          <Fact name={t('attempts')}>{counted.format(attempts)}</Fact>
          <Fact name={t('answer')}>{error ? sentence(error) : (response_status ?? t('noAnswer'))}</Fact>
          {next_attempt_at && <Fact name={t('state')}>{t('next', { at: at(next_attempt_at) })}</Fact>}
        </dl>
        {response_excerpt && (
          <figure>
            <figcaption class="quiet">{t('body')}</figcaption>
            <pre>{response_excerpt}</pre>
          </figure>
        )}
      </details>
      {status !== 'waiting' && event_id !== null && (
        <button type="button" aria-label={t('retryOf', { id })} onClick={retry}>
          {t('retry')}
        </button>
      )}
    </li>
  )
}

const Fact = ({ name, children }: { name: string; children: preact.ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)
