/** Screen of payment methods: the bank account printed on invoices, and the workspace's own Stripe account. */
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { call } from '#console/client/api.ts'
import { useAsking } from '#console/client/parts/asking-form.tsx'
import { ScreenFrame } from '#console/client/parts/screen.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { Trouble } from '#console/client/parts/trouble.tsx'
import { changed, useFresh } from '#console/client/screens/data.ts'
import { initialOf, keepUnsent, sentOf, type Values } from '#console/client/screens/form-values.ts'
import { FormFields } from '#console/client/screens/inputs.tsx'
import type { Field, Row } from '#console/client/screens/shape.ts'
import { t as common } from '#console/client/texts/texts.ts'
import { t } from './texts.ts'

/** Stored keys are never sent to the client, only their last characters. */
const keyField = (name: string, label: string, told: { set: boolean; last4: string | null }): Field => ({
  ...{ name, label, kind: 'secret' },
  ...(told.set ? { hint: told.last4 ? t('kept', { last4: told.last4 }) : t('keptUnnamed') } : {}),
})

interface Way {
  key: string
  title: string
  fieldsOf: (saved: Row) => Field[]
}

const WAYS: Way[] = [
  {
    key: 'bank_transfer',
    title: t('transfer'),
    fieldsOf: () => [
      { name: 'account_holder', label: t('holder'), kind: 'text', max_length: 70, is_nullable: true },
      { name: 'iban', label: t('iban'), kind: 'text', is_nullable: true },
      { name: 'bic', label: t('bic'), kind: 'text', hint: t('bicSays'), is_nullable: true },
      { name: 'is_enabled', label: t('transferOn'), kind: 'boolean' },
    ],
  },
  {
    key: 'stripe',
    title: t('stripe'),
    fieldsOf: (saved) => [
      keyField('secret_key', t('secret'), saved.secret_key),
      keyField('webhook_secret', t('webhookSecret'), saved.webhook_secret),
      { name: 'allow_partial', label: t('partial'), kind: 'boolean' },
      { name: 'is_enabled', label: t('stripeOn'), kind: 'boolean' },
    ],
  },
]

export default function PaymentMethods() {
  return (
    <ScreenFrame title={t('title')}>
      <p class="quiet">{t('says')}</p>
      {WAYS.map((way) => (
        <WayToPay key={way.key} way={way} />
      ))}
    </ScreenFrame>
  )
}

function WayToPay({ way: { key, title, fieldsOf } }: { way: Way }) {
  const { answer, error, again } = useFresh(`/payment-methods/${key}`)
  return (
    <section class="payments-way" aria-label={title}>
      <h2>{title}</h2>
      {answer ? (
        <WayForm path={`/payment-methods/${key}`} title={title} fields={fieldsOf(answer.data)} saved={answer.data} />
      ) : error ? (
        <Trouble error={error} again={again} />
      ) : (
        <p class="quiet">{common('loading')}</p>
      )}
    </section>
  )
}

function WayForm({ path, title, fields, saved }: { path: string; title: string; fields: Field[]; saved: Row }) {
  const keys = fields.filter(({ kind }) => kind === 'secret').map(({ name }) => [name, ''])
  const values = useSignal<Values>({ ...initialOf(fields, saved), ...Object.fromEntries(keys) })
  const touched = useRef(new Set<string>())
  const { failure, waits, ask } = useAsking()
  const save = ask(async () => {
    const typed = values.value
    const { data, message } = await call('put', path, { body: sentOf(fields, typed, touched.current) })
    keepUnsent(touched.current, typed, values.value)
    const since = [...touched.current].map((name) => [name, values.value[name]])
    values.value = { ...initialOf(fields, data), ...Object.fromEntries([...keys, ...since]) }
    tell(message ?? common('saved'))
    changed()
  })
  const { message, fields: errors } = failure.value
  const failed = Object.keys(errors).length ? common('checkFields') : message
  return (
    <form class="form" onSubmit={save} noValidate>
      <div role="alert">{failed && <p class="notice bad">{failed}</p>}</div>
      <FormFields fields={fields} values={values} errors={errors} touch={(name) => touched.current.add(name)} />
      {saved.webhook_url && <p class="quiet">{t('hook', { url: saved.webhook_url })}</p>}
      <div>
        <button type="submit" class="primary" aria-disabled={waits.value}>
          {t('save', { way: title })}
        </button>
      </div>
    </form>
  )
}
