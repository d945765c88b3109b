/** Pipeline board: leads by stage, each with its next follow-up. */
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { Icon } from '#console/client/parts/icon.tsx'
import { Item } from '#console/client/parts/menu.tsx'
import { type Asked, AskedDialog } from '#console/client/screens/actions.tsx'
import { BoardScreen, type Hooks } from '#console/client/screens/board.tsx'
import { may, type Row, type Screen } from '#console/client/screens/shape.ts'
import { Value } from '#console/client/screens/values.tsx'
import { type FollowUpAction, FollowUpDialog, FollowUpDue } from './follow-up.tsx'
import { t } from './texts.ts'
import { convertible, WonDialog } from './won.tsx'

export default function LeadBoard({ screen }: { screen: Screen }) {
  const following = useSignal<{ lead: Row; action: FollowUpAction } | undefined>(undefined)
  const won = useSignal<{ lead: Row; to: string; move: () => Promise<boolean> } | undefined>(undefined)
  const asked = useSignal<Asked | undefined>(undefined)
  const mayFollow = may(screen.edit?.allow ?? ['leads.update'])
  const mayConvert = screen.actions.some(({ path, allow }) => path.endsWith('/convert') && may(allow))
  const made = useRef<Hooks | undefined>(undefined)
  const fieldOf = (name: string) => screen.list.columns.find((one) => one.name === name)!
  const [status, priority] = [fieldOf('status'), fieldOf('priority')]
  const follow = (lead: Row, action: FollowUpAction) => {
    following.value = { lead, action }
  }
  const items = (lead: Row) => {
    const convert = convertible(screen, lead)
    return (
      <>
        {mayFollow && (
          <>
            <hr />
            <Item act={() => follow(lead, 'plan')}>
              <Icon name="plus" />
              {t('plan')}
            </Item>
            {lead.next_follow_up && (
              <>
                <Item act={() => follow(lead, 'finish')}>
                  <Icon name="check" />
                  {t('finish')}
                </Item>
                <Item act={() => follow(lead, 'postpone')}>
                  <Icon name="calendar" />
                  {t('postpone')}
                </Item>
              </>
            )}
          </>
        )}
        {convert && (
          <Item
            act={() => {
              asked.value = { action: convert, on: lead.id, row: lead }
            }}
          >
            <Icon name="people" />
            {convert.label}
          </Item>
        )}
      </>
    )
  }
  made.current ??= {
    more: (lead) => (
      <>
        {lead.next_follow_up && (
          <small class="leads-next">
            <FollowUpDue lead={lead} at={lead.next_follow_up.due_at} />
            <span>{lead.next_follow_up.title}</span>
          </small>
        )}
        {(lead.status !== 'active' || ['high', 'urgent'].includes(lead.priority)) && (
          <span class="leads-states">
            {lead.status !== 'active' && <Value field={status} row={lead} />}
            {['high', 'urgent'].includes(lead.priority) && <Value field={priority} row={lead} />}
          </span>
        )}
      </>
    ),
    ...(mayFollow || mayConvert ? { items } : {}),
    keys: mayFollow ? { f: (lead) => follow(lead, lead.next_follow_up ? 'finish' : 'plan') } : {},
    asks: (lead, to, go) =>
      to.told.stage?.is_won && convertible(screen, lead)
        ? () => {
            won.value = { lead, to: to.label, move: () => go() }
          }
        : undefined,
  }
  return (
    <BoardScreen
      screen={screen}
      hooks={made.current}
      dialogs={
        <>
          {following.value && (
            <FollowUpDialog
              {...following.value}
              close={() => {
                following.value = undefined
              }}
            />
          )}
          {won.value && (
            <WonDialog
              screen={screen}
              {...won.value}
              close={() => {
                won.value = undefined
              }}
            />
          )}
          <AskedDialog asked={asked} />
        </>
      }
    />
  )
}
