import { tone } from '#console/client/screens/values.tsx'
import { t } from './texts.ts'

/** Status of a day as a tag. */
export const StatusTag = ({ status }: { status: string }) => (
  <span class={`tag ${status === 'remote' ? 'good' : tone(status)}`}>{t(status as 'late')}</span>
)
