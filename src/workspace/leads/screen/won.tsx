/** Dialog that offers to convert a lead when it is won. */
import { useSignal } from '@preact/signals'
import { call } from '#console/client/api.ts'
import { type Failure, failureOf } from '#console/client/parts/asking-form.tsx'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { changed } from '#console/client/screens/data.ts'
import { initialOf, sentOf } from '#console/client/screens/form-values.ts'
import { FormFields } from '#console/client/screens/inputs.tsx'
import { unsettled } from '#console/client/screens/reference-input.tsx'
import { filled, may, type Row, type Screen } from '#console/client/screens/shape.ts'
import { t } from './texts.ts'

const convertOf = (screen: Screen) => screen.actions.find(({ path }) => path.endsWith('/convert'))
/** Returns the conversion action; undefined where the lead is converted or the user may not convert it. */
export const convertible = (screen: Screen, lead: Row) => {
  const found = convertOf(screen)
  return found && may(found.allow) && !lead.is_converted ? found : undefined
}

interface Props {
  screen: Screen
  lead: Row
  to: string
  /** Moves the lead; resolves to false where the server rejected that. */
  move: () => Promise<boolean>
  close: () => void
}

export function WonDialog({ screen, lead, to, move, close }: Props) {
  const { path, fields } = convertOf(screen)!
  const values = useSignal<Record<string, unknown>>(initialOf(fields, undefined))
  const failure = useSignal<Failure>({ message: '', fields: {} })
  const isMoved = useSignal(false)
  const waits = useSignal(false)
  const moving = async () => {
    isMoved.value ||= await move()
    return isMoved.value
  }
  const submit = async (event: Event) => {
    event.preventDefault()
    if (waits.value) return
    waits.value = true
    try {
      const open = await unsettled()
      if (open) return void (failure.value = { message: open, fields: {} })
      if (!(await moving())) return close()
      await call('post', filled(path, lead.id), { body: sentOf(fields, values.value) })
      tell(t('converted', { name: lead.name }))
      close()
      changed()
    } catch (error) {
      const { message, fields } = failureOf(error)
      failure.value = { message: [t('isMoved'), message, ...(fields.lead ?? [])].filter(Boolean).join(' '), fields }
    } finally {
      waits.value = false
    }
  }
  return (
    <Dialog title={t('wonTitle', { to, name: lead.name })} close={close}>
      <form class="dialog-body" onSubmit={submit} noValidate>
        <div role="alert">{failure.value.message && <p class="notice bad">{failure.value.message}</p>}</div>
        <p class="quiet">{t('wonSays')}</p>
        <FormFields fields={fields} values={values} errors={failure.value.fields} row={lead} />
        <div class="dialog-foot">
          <button type="button" onClick={close}>
            {t('cancel')}
          </button>
          {!isMoved.value && (
            <button
              type="button"
              onClick={() => {
                void moving()
                close()
              }}
            >
              {t('onlyMove')}
            </button>
          )}
          <button type="submit" class="primary" aria-disabled={waits.value}>
            {t(isMoved.value ? 'convert' : 'moveAndConvert')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
