/** Screen of a logged mail: its text and error. The rest is derived. */
import { RecordScreen } from '#console/client/screens/record.tsx'
import type { Row, Screen } from '#console/client/screens/shape.ts'
import { t } from './texts.ts'

/** Fields shown by this screen instead. The text is shown without HTML. */
const WITHOUT = ['body_html', 'body_text', 'error']

const Top = ({ row: { error, body_text } }: { row: Row }) => (
  <>
    {error && <p class="notice bad email-logs-error">{error}</p>}
    <section>
      <h2>{t('text')}</h2>
      {body_text ? <div class="text email-logs-text">{body_text}</div> : <p class="quiet">{t('none')}</p>}
    </section>
  </>
)

export default function Mail({ screen, id }: { screen: Screen; id: string }) {
  return <RecordScreen screen={{ ...screen, title_field: 'subject' }} id={id} top={Top} without={WITHOUT} />
}
