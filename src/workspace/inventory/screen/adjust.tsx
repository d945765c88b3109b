/** Corrects stock by hand, and shows the result before it is sent. */
import { useSignal } from '@preact/signals'
import { call } from '#console/client/api.ts'
import { useAsking } from '#console/client/parts/asking-form.tsx'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { Field, TextField } from '#console/client/parts/field.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { changed, useAnswer } from '#console/client/screens/data.ts'
import { NumberInput } from '#console/client/screens/number-input.tsx'
import { isExact } from '#console/client/screens/numbers.ts'
import { ReferenceInput } from '#console/client/screens/reference-input.tsx'
import type { Action } from '#console/client/screens/shape.ts'
import { t as common } from '#console/client/texts/texts.ts'
import { exact, type Level, quantityText } from './levels.tsx'
import { t } from './texts.ts'

/** Stock to correct: an existing level, a product in any warehouse, or still to be chosen. */
export type Adjusted = Partial<Pick<Level, 'product' | 'warehouse'>>

const TYPES = { in: 'bookIn', out: 'bookOut', adjust: 'setTo' } as const
type Type = keyof typeof TYPES

const after = (type: Type, now: number, quantity: number) =>
  exact(type === 'adjust' ? quantity : type === 'in' ? now + quantity : now - quantity)

/** Returns the correction that undoes another one. */
const backTo = (type: Type, now: number, quantity: number) =>
  type === 'adjust' ? { type: 'adjust', quantity: now } : { type: type === 'in' ? 'out' : 'in', quantity }

export function AdjustDialog({ action, of, close }: { action: Action; of: Adjusted; close: () => void }) {
  const product = useSignal<unknown>(of.product?.id)
  const warehouse = useSignal<unknown>(of.warehouse?.id)
  const type = useSignal<Type>('in')
  const typed = useSignal('')
  const notes = useSignal('')
  const { failure, waits, ask } = useAsking()
  const isKnown = product.value != null && warehouse.value != null
  const { answer } = useAnswer(isKnown ? '/inventory/stock' : undefined, {
    product_id: String(product.value),
    warehouse_id: String(warehouse.value),
  })
  const found: Level | undefined = answer?.data[0]
  const now = answer ? (found?.on_hand ?? 0) : undefined
  const quantity = isExact(typed.value) ? Number(typed.value) : undefined
  const isNumber = quantity !== undefined && quantity >= 0
  const next = now !== undefined && isNumber ? after(type.value, now, quantity) : undefined
  const below = next !== undefined && next < 0 ? [t('below', { now: quantityText(now!) })] : undefined
  const fieldOf = (name: string) => action.fields.find((field) => field.name === name)!

  const send = (body: object) => call('post', action.path, { body })
  const save = ask(async () => {
    const which = { product_id: product.value ?? null, ...(warehouse.value == null ? {} : { warehouse_id: warehouse.value }) }
    const body = {
      ...which,
      type: type.value,
      quantity: quantity ?? (typed.value || null),
      ...(notes.value ? { notes: notes.value } : {}),
    }
    const { data } = await send(body)
    const name = `${data.product.name}, ${data.warehouse.name}`
    const change = { in: data.quantity, out: -data.quantity, adjust: data.quantity }[type.value]
    const before = exact(data.balance_after - change)
    const back = {
      product_id: data.product.id,
      warehouse_id: data.warehouse.id,
      ...backTo(type.value, before, quantity!),
    }
    const undo = () =>
      void send(back).then(
        (undone) => {
          changed()
          tell(t('undone', { name, next: quantityText(undone.data.balance_after) }))
        },
        (error) => tell(error.message),
      )
    changed()
    close()
    tell(t('adjusted', { name, next: quantityText(data.balance_after) }), { label: common('undo'), run: undo })
  })
  const { message, fields: errors } = failure.value
  return (
    <Dialog title={action.label} close={close}>
      <form class="dialog-body" onSubmit={save} noValidate>
        <div role="alert">{message && <p class="notice bad">{message}</p>}</div>
        {(['product_id', 'warehouse_id'] as const).map((name) => {
          const [chosen, known] = name === 'product_id' ? [product, of.product] : [warehouse, of.warehouse]
          return (
            <Field
              key={name}
              label={t(name === 'product_id' ? 'product' : 'warehouse')}
              required={name === 'product_id'}
              errors={errors[name]}
            >
              {(tied) => (
                <ReferenceInput
                  field={fieldOf(name)}
                  tied={tied}
                  value={chosen.value}
                  found={known}
                  choose={(key) => (chosen.value = key)}
                />
              )}
            </Field>
          )
        })}
        <fieldset class="inventory-types">
          <legend>{t('type')}</legend>
          {(Object.keys(TYPES) as Type[]).map((one) => (
            <label class="check" key={one}>
              <input type="radio" name="type" checked={type.value === one} onChange={() => (type.value = one)} />
              <span>{t(TYPES[one])}</span>
            </label>
          ))}
        </fieldset>
        <Field label={t(type.value === 'adjust' ? 'countedQuantity' : 'quantity')} required errors={below ?? errors.quantity}>
          {(tied) => (
            <NumberInput
              {...tied}
              class="numbers"
              held={typed.value}
              set={(quantity) => {
                typed.value = quantity
                failure.value = { message, fields: {} }
              }}
            />
          )}
        </Field>
        <output class="inventory-becomes">
          {now === undefined
            ? t('chooseFirst')
            : next === undefined || below
              ? t('isNow', { now: quantityText(now) })
              : t('becomes', { now: quantityText(now), next: quantityText(next) })}
        </output>
        <TextField
          label={t('notes')}
          maxLength={10000}
          value={notes.value}
          errors={errors.notes}
          onInput={(event) => (notes.value = event.currentTarget.value)}
        />
        <div class="dialog-foot">
          <button type="button" onClick={close}>
            {common('cancel')}
          </button>
          <button type="submit" class="primary" aria-disabled={waits.value}>
            {t('adjust')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
