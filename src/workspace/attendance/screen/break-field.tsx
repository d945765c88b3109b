import type { Signal } from '@preact/signals'
import { TextField } from '#console/client/parts/field.tsx'
import { t } from './texts.ts'

/** Field for the minutes of all breaks of a day. */
export const BreakField = ({ minutes, errors }: { minutes: Signal<string>; errors: readonly string[] | undefined }) => (
  <TextField
    label={t('breakMinutes')}
    type="number"
    min="0"
    max="1440"
    value={minutes.value}
    errors={errors}
    onInput={(event) => (minutes.value = event.currentTarget.value)}
  />
)
