/** Page of a short link: its address to share and its analytics, above the derived record. */

import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { call } from '#console/client/api.ts'
import { AskingForm } from '#console/client/parts/asking-form.tsx'
import { Chart } from '#console/client/parts/chart.tsx'
import { copyText } from '#console/client/parts/copying.ts'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { TextField } from '#console/client/parts/field.tsx'
import { Icon } from '#console/client/parts/icon.tsx'
import { Levels } from '#console/client/parts/levels.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { Trouble } from '#console/client/parts/trouble.tsx'
import { changed, useAnswer } from '#console/client/screens/data.ts'
import { RecordScreen } from '#console/client/screens/record.tsx'
import { fileAddress, may, type Row, type Screen } from '#console/client/screens/shape.ts'
import { counted } from '#console/client/screens/values.tsx'
import { moment } from '#console/client/texts/texts.ts'
import { t } from './texts.ts'

const ANALYTICS = 'short-links.view_analytics'
const SPANS = [7, 30, 90, 365]
/** Above this number of columns a line chart is used. */
const MAX_BARS = 31
/** Referrer that stands for the rest of a link with very many. */
const OTHERS = '(other)'

export default function Link({ screen, id }: { screen: Screen; id: string }) {
  return <RecordScreen screen={screen} id={id} top={Top} />
}

const Top = ({ screen, row: link }: { screen: Screen; row: Row }) => (
  <>
    <Share link={link} mayChange={screen.edit !== null && may(screen.edit.allow)} />
    {may([ANALYTICS]) ? <Analytics link={link} /> : <p class="quiet">{t('closed', { permission: ANALYTICS })}</p>}
  </>
)

function Share({ link, mayChange }: { link: Row; mayChange: boolean }) {
  const isChanging = useSignal(false)
  const qr = (format: string, size: number) => fileAddress(`/short-links/${link.id}/qr?format=${format}&size=${size}`)
  const copy = async () => tell(t((await copyText(link.short_url)) ? 'copied' : 'notCopied'))
  return (
    <section class="short-links-share" aria-label={t('share')}>
      <img src={qr('svg', 200)} alt={t('qr', { url: link.short_url })} width="112" height="112" />
      <div>
        <p class="short-links-address">
          <a href={link.short_url} target="_blank" rel="noreferrer">
            {link.short_url}
          </a>
        </p>
        <p class="quiet">
          {t('leadsTo')} <span>{link.destination_url}</span>
        </p>
        <p class="tools">
          <button type="button" onClick={() => void copy()}>
            {t('copy')}
          </button>
          {mayChange && (
            <button type="button" onClick={() => (isChanging.value = true)}>
              <Icon name="edit" />
              {t('change')}
            </button>
          )}
          {!link.deleted_at && (
            <>
              <a class="button" href={qr('svg', 1000)} download={`${link.code}.svg`}>
                <Icon name="download" />
                {t('qrSvg')}
              </a>
              <a class="button" href={qr('png', 1000)} download={`${link.code}.png`}>
                <Icon name="download" />
                {t('qrPng')}
              </a>
            </>
          )}
        </p>
      </div>
      {isChanging.value && (
        <Dialog title={t('change')} close={() => (isChanging.value = false)}>
          <div class="dialog-body card-like">
            <AskingForm
              button={t('save')}
              send={async ({ destination_url }) => {
                const { message } = await call('put', `/short-links/${link.id}`, { body: { destination_url } })
                isChanging.value = false
                tell(message ?? '')
                changed()
              }}
            >
              {(errors) => (
                <TextField
                  label={t('destination')}
                  name="destination_url"
                  type="url"
                  defaultValue={link.destination_url}
                  errors={errors.destination_url}
                  required
                />
              )}
            </AskingForm>
          </div>
        </Dialog>
      )}
    </section>
  )
}

interface Clicks {
  click_count: number
  last_clicked_at: string | null
  clicks_by_day: { date: string; clicks: number }[]
  top_referrers: { referrer: string | null; clicks: number }[]
  devices: { device_type: string; clicks: number }[]
}

const deviceName = (device: string) =>
  ['desktop', 'mobile', 'tablet', 'bot', 'unknown'].includes(device) ? t(device as 'desktop') : device

function Analytics({ link }: { link: Row }) {
  const span = useSignal(30)
  const { answer, error, again } = useAnswer(`/short-links/${link.id}/stats`, { days: String(span.value) })
  // Shows the previous data until the next arrives, which also keeps a table open.
  const last = useRef<Clicks | undefined>(undefined)
  if (answer) last.current = answer.data
  const told = last.current
  if (!told) return error ? <Trouble error={error} again={again} /> : <p class="quiet">{t('loading')}</p>
  return (
    <section>
      <h2>{t('clicks')}</h2>
      {told.click_count === 0 && told.devices.length === 0 ? (
        <p class="quiet">{t('never')}</p>
      ) : (
        <>
          <p class="quiet">
            {[
              t('all', { count: counted.format(told.click_count) }),
              ...(told.last_clicked_at ? [t('last', { at: moment.format(new Date(told.last_clicked_at)) })] : []),
            ].join(' · ')}
          </p>
          <Chart
            title={t('clicksOver', { title: link.title ?? link.code })}
            unit="day"
            kind={told.clicks_by_day.length > MAX_BARS ? 'lines' : 'bars'}
            periods={told.clicks_by_day.map(({ date }) => date)}
            lines={[{ name: t('clicks'), values: told.clicks_by_day.map(({ clicks }) => clicks) }]}
            tools={
              <select
                aria-label={t('span')}
                value={span.value}
                onChange={(event) => (span.value = Number(event.currentTarget.value))}
              >
                {SPANS.map((count) => (
                  <option key={count} value={count}>
                    {t('days', { count })}
                  </option>
                ))}
              </select>
            }
          />
          <div class="short-links-sources">
            <section>
              <h3>{t('referrers')}</h3>
              <Levels
                name={t('referrer')}
                value={t('clicks')}
                levels={told.top_referrers.map(({ referrer, clicks }) => ({
                  key: `site ${referrer}`,
                  label: referrer === null ? t('untold') : referrer === OTHERS ? t('otherSites') : referrer,
                  value: clicks,
                }))}
              />
            </section>
            <section>
              <h3>{t('devices')}</h3>
              <Levels
                name={t('device')}
                value={t('clicks')}
                levels={told.devices.map(({ device_type, clicks }) => ({
                  key: `device ${device_type}`,
                  label: deviceName(device_type),
                  value: clicks,
                }))}
              />
              <p class="hint">{t('privacy')}</p>
            </section>
          </div>
        </>
      )}
    </section>
  )
}
