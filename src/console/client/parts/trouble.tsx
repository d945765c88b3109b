/** Error state of a screen. */
import { ApiError } from '../api.ts'
import { t } from '../texts/texts.ts'

export function Trouble({ error, again }: { error: unknown; again?: () => void }) {
  const known = error instanceof ApiError ? error : undefined
  const title = known?.status === 404 ? t('notFound') : known?.status === 403 ? t('forbidden') : t('wentWrong')
  return (
    <div class="empty" role="alert">
      <h2>{title}</h2>
      <p class="quiet">{known?.status === 404 ? t('notFoundSays') : (known?.message ?? String(error))}</p>
      {known?.code === 'FORBIDDEN' && <p class="quiet">{t('forbiddenSays')}</p>}
      {again && known?.status !== 404 && (
        <button type="button" onClick={again}>
          {t('tryAgain')}
        </button>
      )}
    </div>
  )
}
