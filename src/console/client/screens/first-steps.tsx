import { boot } from '../boot.ts'
import { groups, SETTINGS } from '../frame/navigation.tsx'
import { Icon, type IconName } from '../parts/icon.tsx'
import { t, textsOf } from '../texts/texts.ts'
import { useAnswer } from './data.ts'
import { listAddress, pageAddress, pageOf, summaryOf } from './shape.ts'

const say = textsOf({
  en: {
    begin: 'Begin here',
    firm: 'Your firm: address and logo',
    colleague: 'Invite a colleague',
    workspace: 'Make the first workspace',
    catalogue: 'Look through the modules and their prices',
    gateway: 'Say how workspaces pay',
    mailServer: 'Set up the mail server',
    mail: 'No mail server is set up. Invitations, and links by which people confirm their address, wait here:',
  },
  de: {
    begin: 'Hier geht es los',
    firm: 'Ihre Firma: Adresse und Logo',
    colleague: 'Jemanden einladen',
    workspace: 'Den ersten Arbeitsbereich anlegen',
    catalogue: 'Module und ihre Preise ansehen',
    gateway: 'Festlegen, wie Arbeitsbereiche zahlen',
    mailServer: 'Mailserver einrichten',
    mail: 'Es ist kein Mailserver eingerichtet. Einladungen und Links zur Bestätigung von Adressen warten hier:',
  },
})

interface Step {
  to: string
  label: string
  icon: IconName
}

/** First steps of a new workspace, shown while its home screen has nothing else to show. */
export function FirstSteps() {
  const users = summaryOf('users')
  const lists = groups
    .filter(({ title }) => title !== null)
    .flatMap(({ places }) => places.map(({ main }) => summaryOf(main.key)))
  const [first] = lists.filter((list) => list?.may_create)
  return (
    <Steps
      steps={[
        { to: SETTINGS, label: say('firm'), icon: 'building' },
        ...(users?.may_create ? [{ to: `${listAddress(users)}/new`, label: say('colleague'), icon: 'user' } as const] : []),
        ...(first ? [{ to: `${listAddress(first)}/new`, label: t('newOne', { noun: first.noun }), icon: 'plus' } as const] : []),
      ]}
    />
  )
}

/** Below this number of workspaces a platform counts as new. */
const FEW = 3

/** First steps of a new platform's operators, and where to find mailed links while mail isn't delivered. */
export function OperatorsFirstSteps() {
  const [tenants, modules, gateways, users, mails] = ['tenants', 'modules', 'payment-gateways', 'users', 'email-logs'].map(
    summaryOf,
  )
  const { answer } = useAnswer(tenants?.may_create ? '/tenants' : undefined, { per_page: '1' })
  const total = answer?.meta?.total
  const isMailed = boot.platform?.is_mail_delivered !== false
  const settings = pageOf('system-settings')
  return (
    <>
      {tenants && total !== undefined && total < FEW && (
        <Steps
          steps={[
            ...(total ? [] : [{ to: `${listAddress(tenants)}/new`, label: say('workspace'), icon: 'plus' } as const]),
            ...(modules ? [{ to: listAddress(modules), label: say('catalogue'), icon: 'box' } as const] : []),
            ...(settings && !isMailed ? [{ to: pageAddress(settings), label: say('mailServer'), icon: 'mail' } as const] : []),
            ...(gateways ? [{ to: listAddress(gateways), label: say('gateway'), icon: 'money' } as const] : []),
            ...(users?.may_create ? [{ to: `${listAddress(users)}/new`, label: say('colleague'), icon: 'user' } as const] : []),
          ]}
        />
      )}
      {!isMailed && mails && (
        <p class="notice">
          {say('mail')} <a href={listAddress(mails)}>{mails.title}</a>
          {settings && (
            <>
              {' · '}
              <a href={pageAddress(settings)}>{say('mailServer')}</a>
            </>
          )}
        </p>
      )}
    </>
  )
}

const Steps = ({ steps }: { steps: Step[] }) => (
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
