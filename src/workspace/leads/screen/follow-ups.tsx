/** Follow-up list: leads whose next follow-up is overdue, due today, or later. */
import { useSignal } from '@preact/signals'
import { at, go } from '#console/client/addresses.ts'
import { boot } from '#console/client/boot.ts'
import { useEvents } from '#console/client/events.ts'
import { Icon } from '#console/client/parts/icon.tsx'
import { ScreenFrame } from '#console/client/parts/screen.tsx'
import { Trouble } from '#console/client/parts/trouble.tsx'
import { Who } from '#console/client/screens/card.tsx'
import { changed, useAnswer } from '#console/client/screens/data.ts'
import { listAddress, may, type Row, recordAddress, summaryOf } from '#console/client/screens/shape.ts'
import { counted } from '#console/client/screens/values.tsx'
import { type FollowUpAction, FollowUpDialog, FollowUpDue } from './follow-up.tsx'
import { t } from './texts.ts'

const SHOWN = '50'
const SPANS = [
  ['overdue', 'noneOverdue'],
  ['today', 'noneToday'],
  ['upcoming', 'noneUpcoming'],
] as const

export default function FollowUps() {
  const isMine = at.value.searchParams.get('whose') !== 'all'
  const mayAll = may(['leads.assign'])
  const following = useSignal<{ lead: Row; action: FollowUpAction } | undefined>(undefined)
  useEvents('lead', changed)
  return (
    <ScreenFrame
      title={t('followUps')}
      tools={
        mayAll && (
          <label class="filter leads-whose">
            <span>{t('whose')}</span>
            <select
              value={isMine ? 'mine' : 'all'}
              onChange={({ currentTarget: { value } }) => go(`${at.value.pathname}${value === 'all' ? '?whose=all' : ''}`)}
            >
              <option value="mine">{t('mine')}</option>
              <option value="all">{t('everybody')}</option>
            </select>
          </label>
        )
      }
    >
      {SPANS.map(([span, none]) => (
        <Span
          key={span}
          {...{ span, none, isMine }}
          follow={(lead, action) => {
            following.value = { lead, action }
          }}
        />
      ))}
      {following.value && (
        <FollowUpDialog
          {...following.value}
          close={() => {
            following.value = undefined
          }}
        />
      )}
    </ScreenFrame>
  )
}

interface SpanProps {
  span: (typeof SPANS)[number][0]
  none: (typeof SPANS)[number][1]
  isMine: boolean
  follow: (lead: Row, action: FollowUpAction) => void
}

function Span({ span, none, isMine, follow }: SpanProps) {
  const screen = summaryOf('leads')!
  const query = {
    ...{ follow_up: span, sort: 'next_follow_up_at', direction: 'asc' },
    ...(isMine ? { assigned_to: String(boot.me!.user.id) } : {}),
  }
  const { answer, error, again } = useAnswer(screen.path, { ...query, per_page: SHOWN })
  const mayFollow = may(['leads.update'])
  // The server's `today` includes overdue follow-ups, which have their own section.
  const all = (answer?.data ?? []) as Row[]
  const rows = span === 'today' ? all.filter(({ next_follow_up_at }) => Date.parse(next_follow_up_at) >= Date.now()) : all
  const total: number = answer?.meta?.total ?? rows.length
  return (
    <section class="leads-span">
      <h2>
        {t(span)} {rows.length > 0 && <span class="quiet">{counted.format(span === 'today' ? rows.length : total)}</span>}
      </h2>
      {error && !answer ? (
        <Trouble error={error} again={again} />
      ) : !answer ? (
        <p class="quiet">{t('loading')}</p>
      ) : !rows.length ? (
        <p class="quiet">{t(none)}</p>
      ) : (
        <ul>
          {rows.map((lead) => {
            const next = lead.next_follow_up as Row
            const named = { title: next.title, name: lead.name }
            return (
              <li key={lead.id}>
                <div class="leads-what">
                  <span>{next.title}</span>
                  <a class="title" href={recordAddress(screen, lead.id)}>
                    {lead.name}
                  </a>
                  {lead.company && <span class="quiet">{lead.company}</span>}
                </div>
                <FollowUpDue lead={lead} at={next.due_at} />
                {!isMine && lead.assignee && <Who name={lead.assignee.name} />}
                {mayFollow && (
                  <div class="leads-deeds">
                    <button type="button" aria-label={t('finishOne', named)} onClick={() => follow(lead, 'finish')}>
                      <Icon name="check" />
                      {t('done')}
                    </button>
                    <button
                      type="button"
                      class="plain"
                      aria-label={t('postponeOne', named)}
                      onClick={() => follow(lead, 'postpone')}
                    >
                      {t('postpone')}
                    </button>
                  </div>
                )}
              </li>
            )
          })}
        </ul>
      )}
      {total > all.length && (
        <p class="quiet">
          <a href={`${listAddress(screen)}?${new URLSearchParams(query)}`}>
            {t('shownFirst', { count: counted.format(all.length), total: counted.format(total) })}
          </a>
        </p>
      )}
    </section>
  )
}
