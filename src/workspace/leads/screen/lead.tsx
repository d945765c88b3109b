/** Lead page: the next follow-up above the record's fields. */
import { useSignal } from '@preact/signals'
import { call } from '#console/client/api.ts'
import { tell } from '#console/client/parts/toasts.tsx'
import { type Asked, AskedDialog } from '#console/client/screens/actions.tsx'
import { Tags, Who } from '#console/client/screens/card.tsx'
import { changed, useAnswer } from '#console/client/screens/data.ts'
import { RecordScreen } from '#console/client/screens/record.tsx'
import { may, type Row, recordAddress, type Screen, summaryOf } from '#console/client/screens/shape.ts'
import { textFor } from '#console/client/screens/values.tsx'
import { sentence } from '#console/client/texts/labels.ts'
import { type FollowUpAction, FollowUpDialog, FollowUpDue } from './follow-up.tsx'
import { t } from './texts.ts'
import { convertible, WonDialog } from './won.tsx'

/** Fields shown above the record or in lists of their own, and so hidden in the record. */
const ABOVE = [
  ...['stage_id', 'assigned_to', 'next_follow_up_at', 'next_follow_up', 'tags', 'notes'],
  ...['is_converted', 'converted_at', 'conversion_meta', 'contact_id', 'follow_ups', 'assignment_histories'],
]

export default function LeadRecord({ screen, id }: { screen: Screen; id: string }) {
  return <RecordScreen screen={screen} id={id} top={Top} without={ABOVE} />
}

const instant = (at: string) => textFor({ name: '', label: '', kind: 'instant' }, at, {})

function Top({ screen, row: lead }: { screen: Screen; row: Row }) {
  const stages = (useAnswer('/lead-stages', { per_page: '100' }).answer?.data ?? []) as Row[]
  const action = useSignal<FollowUpAction | undefined>(undefined)
  const asked = useSignal<Asked | undefined>(undefined)
  const won = useSignal<{ to: Row } | undefined>(undefined)
  const actionOf = (end: string) => screen.actions.find(({ path, allow }) => path.endsWith(`/${end}`) && may(allow))
  const [move, assign] = [actionOf('stage'), actionOf('assign')]
  const convert = convertible(screen, lead)
  const mayFollow = may(screen.edit?.allow ?? ['leads.update'])
  const goTo = async (to: Row, isBack = false): Promise<boolean> => {
    try {
      await call('post', `/leads/${lead.id}/stage`, { body: { stage_id: to.id } })
      tell(
        t('inStage', { name: lead.name, to: to.name }),
        isBack ? undefined : { label: t('undo'), run: () => void goTo(lead.stage, true) },
      )
      return true
    } catch (error) {
      tell((error as Error).message)
      return false
    } finally {
      changed()
    }
  }
  const choose = (to: Row) => {
    if (to.id === lead.stage_id) return
    if (to.is_lost)
      asked.value = {
        action: { ...move!, fields: move!.fields.filter(({ name }) => name === 'reason'), label: to.name },
        ...{ on: lead.id, row: lead, also: { stage_id: to.id } },
      }
    else if (to.is_won && convert) won.value = { to }
    else void goTo(to)
  }
  const next: Row | null = lead.next_follow_up
  const last: Row | undefined = lead.activities?.[0]
  const contacts = summaryOf('contacts')
  const opportunities = summaryOf('opportunities')
  const opportunity: number | null | undefined = lead.conversion_meta?.opportunity_id
  return (
    <section class="leads-top" aria-label={t('stage')}>
      <ol class="leads-stages">
        {stages.map((stage) => (
          <li key={stage.id}>
            <button
              type="button"
              aria-current={stage.id === lead.stage_id ? 'step' : undefined}
              aria-disabled={!move}
              aria-label={stage.id === lead.stage_id || !move ? stage.name : t('stageTo', { name: stage.name })}
              onClick={() => move && choose(stage)}
            >
              {stage.name}
            </button>
          </li>
        ))}
      </ol>
      <dl class="leads-now">
        <div>
          <dt>{t('nextFollowUp')}</dt>
          <dd>
            {next ? (
              <>
                <span>{next.title}</span>
                <FollowUpDue lead={lead} at={next.due_at} />
              </>
            ) : (
              <span class="quiet">{t('noFollowUp')}</span>
            )}
          </dd>
          {mayFollow && (
            <dd class="leads-deeds">
              {next && (
                <>
                  <button type="button" onClick={() => (action.value = 'finish')}>
                    {t('done')}
                  </button>
                  <button type="button" onClick={() => (action.value = 'postpone')}>
                    {t('postpone')}
                  </button>
                </>
              )}
              <button type="button" onClick={() => (action.value = 'plan')}>
                {t('plan')}
              </button>
            </dd>
          )}
        </div>
        <div>
          <dt>{t('assignee')}</dt>
          <dd>{lead.assignee ? <Who name={lead.assignee.name} /> : <span class="quiet">{t('nobody')}</span>}</dd>
          {assign && (
            <dd class="leads-deeds">
              <button type="button" onClick={() => (asked.value = { action: assign, on: lead.id, row: lead })}>
                {t('assign')}
              </button>
            </dd>
          )}
        </div>
        <div>
          <dt>{t('customer')}</dt>
          <dd>
            {lead.is_converted ? (
              <>
                {lead.contact && contacts ? (
                  <a href={recordAddress(contacts, lead.contact.id)}>{lead.contact.name}</a>
                ) : (
                  <span>{lead.contact?.name}</span>
                )}
                <span class="quiet">
                  {t('becameCustomer')} {instant(lead.converted_at)}
                </span>
                {opportunity && opportunities ? <a href={recordAddress(opportunities, opportunity)}>{t('opportunity')}</a> : null}
              </>
            ) : (
              <span class="quiet">{t('notConverted')}</span>
            )}
          </dd>
        </div>
        {lead.tags.length > 0 && (
          <div>
            <dt>{t('tags')}</dt>
            <dd>
              <Tags tags={lead.tags} />
            </dd>
          </div>
        )}
        {last && (
          <div>
            <dt>{t('lastActivity')}</dt>
            <dd>
              <span>{sentence(String(last.description ?? last.type))}</span>
              <span class="quiet">
                {last.actor?.name ? `${last.actor.name} · ` : ''}
                {instant(last.created_at)}
              </span>
            </dd>
          </div>
        )}
      </dl>
      {action.value && <FollowUpDialog lead={lead} action={action.value} close={() => (action.value = undefined)} />}
      {won.value && (
        <WonDialog
          screen={screen}
          lead={lead}
          to={won.value.to.name}
          move={() => goTo(won.value!.to)}
          close={() => (won.value = undefined)}
        />
      )}
      <AskedDialog asked={asked} />
    </section>
  )
}
