/** Screen of a payment gateway: missing set-up, credentials, webhook address. The rest is derived. */

import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { call } from '#console/client/api.ts'
import { AskingForm } from '#console/client/parts/asking-form.tsx'
import { Field, TextField } from '#console/client/parts/field.tsx'
import { ToCopy } from '#console/client/parts/to-copy.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { Trouble } from '#console/client/parts/trouble.tsx'
import { changed, useAnswer, useFresh } from '#console/client/screens/data.ts'
import { RecordScreen } from '#console/client/screens/record.tsx'
import { filled, may, type Row, type Screen } from '#console/client/screens/shape.ts'
import { counted } from '#console/client/screens/values.tsx'
import { worded } from '#console/client/texts/labels.ts'
import { moment } from '#console/client/texts/texts.ts'
import { t } from './texts.ts'

const MODES = ['sandbox', 'live'] as const
const MAY_UPDATE = ['payment-gateways.update', 'billing.manage']

export default function Gateway({ screen, id }: { screen: Screen; id: string }) {
  return <RecordScreen screen={screen} id={id} top={Top} />
}

const pathOf = ({ id }: Row, more: string) => `/payment-gateways/${encodeURIComponent(id)}/${more}`

function Top({ screen, row: gateway }: { screen: Screen; row: Row }) {
  const can: Row | undefined = useAnswer(pathOf(gateway, 'capabilities')).answer?.data
  const { answer: now, error, again } = useFresh(filled(screen.record!.path, gateway.id))
  return (
    <>
      <Standing gateway={gateway} />
      {can && can.credentials.length > 0 && may(MAY_UPDATE) && (
        <>
          {now && <Credentials gateway={now.data} names={can.credentials} />}
          {!now && error !== undefined && <Trouble error={error} again={again} />}
        </>
      )}
      {can?.has_webhook && <Webhook gateway={gateway} />}
      {can?.needs_price_mapping && <Prices gateway={gateway} />}
    </>
  )
}

/** Notice of the gateway's current state. */
function Standing({ gateway: { is_configured, is_enabled, is_default, mode, name } }: { gateway: Row }) {
  const of = { name, mode: t(mode) }
  if (!is_configured) return <p class="notice bad payment-gateways-standing">{t('lacksCredentials', of)}</p>
  if (!is_enabled) return <p class="notice payment-gateways-standing">{t('isOff', of)}</p>
  return <p class="notice payment-gateways-standing">{t(is_default ? 'isDefault' : 'isOn', of)}</p>
}

/** Form of the credentials. They are never shown; empty fields leave them unchanged. */
function Credentials({ gateway, names }: { gateway: Row; names: string[] }) {
  const mode = useSignal<string>(gateway.mode)
  const box = useRef<HTMLElement>(null)
  const waits = useSignal(false)
  const save = async (values: Record<string, string>) => {
    const sent = Object.entries(values).filter(([name, value]) => names.includes(name) && value.trim())
    if (!sent.length) return tell(t('nothingTyped'))
    const { message } = await call('put', pathOf(gateway, 'config'), {
      body: { mode: mode.value, credentials: Object.fromEntries(sent) },
    })
    tell(message ?? '')
    // Typed credentials must not stay in the page.
    for (const input of box.current!.querySelectorAll('input')) input.value = ''
    changed()
  }
  const test = async () => {
    if (waits.value) return
    waits.value = true
    try {
      const { data } = await call('post', pathOf(gateway, 'test-connection'), { body: {} })
      tell(t(data.ok ? 'answered' : 'refused', { says: data.message }))
      changed()
    } catch (error) {
      tell((error as Error).message)
    } finally {
      waits.value = false
    }
  }
  return (
    <section class="payment-gateways-credentials" ref={box} aria-label={t('credentials')}>
      <h2>{t('credentials')}</h2>
      <AskingForm button={t('save')} kind="primary" send={save}>
        {(errors) => (
          <>
            <Field label={t('ofMode')} hint={t('ofModeSays')} errors={errors.mode}>
              {(tied) => (
                <select {...tied} value={mode.value} onChange={(event) => (mode.value = event.currentTarget.value)}>
                  {MODES.map((one) => (
                    <option key={one} value={one}>
                      {t(one)}
                    </option>
                  ))}
                </select>
              )}
            </Field>
            {names.map((name) => (
              <TextField
                key={name}
                label={labelOf(name)}
                name={name}
                type="password"
                autocomplete="new-password"
                maxLength={500}
                placeholder={gateway.is_configured && mode.value === gateway.mode ? t('kept') : undefined}
                errors={errors[`credentials.${name}`]}
              />
            ))}
          </>
        )}
      </AskingForm>
      <p class="tools">
        <button
          type="button"
          aria-disabled={waits.value || !gateway.is_configured}
          onClick={() => gateway.is_configured && void test()}
        >
          {t('test')}
        </button>
        <span class="quiet">
          {gateway.last_tested_at ? t('testedAt', { at: moment.format(new Date(gateway.last_tested_at)) }) : t('neverTested')}
        </span>
      </p>
    </section>
  )
}

const KNOWN = ['publishable_key', 'secret_key', 'webhook_secret'] as const
const labelOf = (name: string) => {
  const known = KNOWN.find((one) => one === name)
  return known ? t(known) : worded(name)
}

/** Webhook address for the provider, and when it was last called. */
function Webhook({ gateway }: { gateway: Row }) {
  const status: Row | undefined = useAnswer(pathOf(gateway, 'webhook-status')).answer?.data
  if (!status?.url) return null
  return (
    <section aria-label={t('webhook')}>
      <h2>{t('webhook')}</h2>
      <ToCopy label={t('address', { name: gateway.name })} text={status.url} />
      <p class={status.is_configured ? 'quiet' : 'notice bad'}>
        {status.is_configured
          ? status.last_received_at
            ? t('calledAt', { at: moment.format(new Date(status.last_received_at)) })
            : t('neverCalled')
          : t('lacksSecret')}
      </p>
    </section>
  )
}

/** Table of the provider's price ids by module. */
function Prices({ gateway }: { gateway: Row }) {
  const all: Row[] | undefined = useAnswer(pathOf(gateway, 'module-prices')).answer?.data.mappings
  if (!all) return null
  const known = all.filter((one) => one.monthly_price_id || one.yearly_price_id)
  return (
    <section>
      <h2>{t('prices')}</h2>
      {known.length > 0 && (
        <section class="table-wrap" aria-label={t('prices')}>
          <table class="stacked">
            <thead>
              <tr>
                <th scope="col">{t('module')}</th>
                <th scope="col">{t('monthly')}</th>
                <th scope="col">{t('yearly')}</th>
              </tr>
            </thead>
            <tbody>
              {known.map((one) => (
                <tr key={one.module_id}>
                  <th scope="row">{one.module.name}</th>
                  <td>{one.monthly_price_id}</td>
                  <td>{one.yearly_price_id}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      {known.length < all.length && (
        <p class="quiet">
          {t('unpriced', { count: counted.format(all.length - known.length), all: counted.format(all.length) })}
        </p>
      )}
    </section>
  )
}
