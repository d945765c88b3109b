import { groups, SETTINGS } from '../frame/navigation.tsx'
import { Icon } from '../parts/icon.tsx'
import { t, textsOf } from '../texts/texts.ts'
import { listAddress, summaryOf } from './shape.ts'

const say = textsOf({
  en: { begin: 'Begin here', firm: 'Your firm: address and logo', colleague: 'Invite a colleague' },
  de: { begin: 'Hier geht es los', firm: 'Ihre Firma: Adresse und Logo', colleague: 'Jemanden einladen' },
})

/** What those who set up a workspace do first, as long as nothing waits for them in it. */
export function FirstSteps() {
  const users = summaryOf('users')
  const lists = groups
    .filter(({ title }) => title !== null)
    .flatMap(({ places }) => places.map(({ main }) => summaryOf(main.key)))
  const [first] = lists.filter((list) => list?.may_create)
  const steps = [
    { to: SETTINGS, label: say('firm'), icon: 'building' as const },
    ...(users?.may_create ? [{ to: `${listAddress(users)}/new`, label: say('colleague'), icon: 'user' as const }] : []),
    ...(first ? [{ to: `${listAddress(first)}/new`, label: t('newOne', { noun: first.noun }), icon: 'plus' as const }] : []),
  ]
  return (
    <section class="group-of-tiles" aria-labelledby="first-steps">
      <h2 id="first-steps">{say('begin')}</h2>
      <ul class="tiles">
        {steps.map(({ to, label, icon }) => (
          <li key={to}>
            <a href={to}>
              <Icon name={icon} />
              {label}
            </a>
          </li>
        ))}
      </ul>
    </section>
  )
}
