/** Content that depends on a reply: loading state, error, or the reply. */
import type { ComponentChildren } from 'preact'
import type { Answer, Shown } from '../screens/data.ts'
import { t } from '../texts/texts.ts'
import { Trouble } from './trouble.tsx'

/** Keeps showing the last reply when a refetch fails, together with the error. */
export function Answered({
  of: { answer, error, again },
  children,
}: {
  of: Shown
  children: (answer: Answer) => ComponentChildren
}) {
  if (answer)
    return (
      <>
        {error !== undefined && (
          <p class="notice last-known" role="status">
            <span>{t('lastKnown', { why: (error as Error).message })}</span>
            <button type="button" class="plain" onClick={again}>
              {t('tryAgain')}
            </button>
          </p>
        )}
        {children(answer)}
      </>
    )
  if (error) return <Trouble error={error} again={again} />
  return (
    <p class="quiet" aria-busy="true">
      {t('loading')}
    </p>
  )
}

/** Empty state with a hint what to do. */
export const Empty = ({ title, says, level = 2 }: { title: string; says: string; level?: 2 | 3 }) => {
  const Heading = `h${level}` as const
  return (
    <div class="empty" role="status">
      <Heading>{title}</Heading>
      <p class="quiet">{says}</p>
    </div>
  )
}
