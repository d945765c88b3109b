/**
 * Page of a webhook endpoint, of a workspace or the platform: its state and its deliveries with their replies. The rest of the
 * record is derived.
 */
import { useSignal } from '@preact/signals'
import { call } from '../api.ts'
import { Answered } from '../parts/answered.tsx'
import { Paging } from '../parts/paging.tsx'
import { tell } from '../parts/toasts.tsx'
import { sentence } from '../texts/labels.ts'
import { moment, textsOf } from '../texts/texts.ts'
import { changed, useAnswer } from './data.ts'
import { spanOf } from './pages.tsx'
import { RecordScreen } from './record.tsx'
import type { Row, Screen } from './shape.ts'
import { counted } from './values.tsx'

const t = textsOf({
  en: {
    deliveries: 'Deliveries',
    state: 'Status',
    any: 'Any',
    waiting: 'Waiting',
    delivered: 'Delivered',
    failed: 'Failed',
    type: 'Type',
    attempts: 'Attempts',
    answer: 'Answer',
    took: 'Took',
    at: 'At',
    ms: '{count} ms',
    retry: 'Try again',
    retryOf: 'Try delivery {id} again',
    none: 'Nothing has been told yet. “Test” sends a message at once, and shows what came of it.',
    noneSuch: 'No delivery is in this state.',
    next: 'Next try {at}',
    event: 'Event {id}',
    test: 'Test message',
    body: 'What it answered',
    noAnswer: 'No answer',
    earlier: 'Earlier',
    later: 'Later',
    off: 'It is switched off: {reason}',
    offByHand: 'It is switched off, and told nothing until it is switched on again.',
    failing: 'Every delivery has failed since {at}.',
  },
  de: {
    deliveries: 'Zustellungen',
    state: 'Status',
    any: 'Alle',
    waiting: 'Wartet',
    delivered: 'Zugestellt',
    failed: 'Gescheitert',
    type: 'Art',
    attempts: 'Versuche',
    answer: 'Antwort',
    took: 'Dauer',
    at: 'Wann',
    ms: '{count} ms',
    retry: 'Noch einmal',
    retryOf: 'Zustellung {id} noch einmal versuchen',
    none: 'Noch ist nichts gemeldet worden. „Testen“ sendet sofort eine Nachricht und zeigt, was daraus wurde.',
    noneSuch: 'Keine Zustellung hat diesen Status.',
    next: 'Nächster Versuch {at}',
    event: 'Ereignis {id}',
    test: 'Testnachricht',
    body: 'Was geantwortet wurde',
    noAnswer: 'Keine Antwort',
    earlier: 'Frühere',
    later: 'Spätere',
    off: 'Sie ist ausgeschaltet: {reason}',
    offByHand: 'Sie ist ausgeschaltet und erfährt nichts, bis sie wieder eingeschaltet wird.',
    failing: 'Seit {at} ist jede Zustellung gescheitert.',
  },
})

/** Replaced by the custom list. */
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

export function WebhookEndpoint({ screen, id }: { screen: Screen; id: string }) {
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
  const told = useAnswer(`/webhook-endpoints/${encodeURIComponent(id)}/deliveries`, {
    per_page: String(PER_PAGE),
    page: String(page.value),
    ...(state.value ? { status: state.value } : {}),
  })
  const retry = async (delivery: number) => {
    try {
      const { message } = await call('post', `/webhook-endpoints/${encodeURIComponent(id)}/deliveries/${delivery}/retry`, {
        body: {},
      })
      tell(message ?? '')
      changed()
    } catch (failure) {
      tell((failure as Error).message)
    }
  }
  const rows: Delivery[] = told.answer?.data ?? []
  const { last_page = 1 } = told.answer?.meta ?? {}
  return (
    <section class="deliveries">
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
      <Answered of={told}>
        {() =>
          rows.length === 0 ? (
            <p class="quiet">{t(state.value ? 'noneSuch' : 'none')}</p>
          ) : (
            <ul aria-label={t('deliveries')}>
              {rows.map((delivery) => (
                <One key={delivery.id} delivery={delivery} retry={() => void retry(delivery.id)} />
              ))}
            </ul>
          )
        }
      </Answered>
      {last_page > 1 && (
        <nav class="pages" aria-label={t('deliveries')}>
          <span class="numbers">{spanOf(told.answer!.meta, rows.length)}</span>
          <Paging page={page.value} last={last_page} to={(next) => void (page.value = next)} names={[t('later'), t('earlier')]} />
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
          <span class="type">{type}</span>
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
