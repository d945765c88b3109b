/** What stands where an answer is shown: that it is waited for, why it didn't come, or what it says. */
import type { ComponentChildren } from 'preact'
import type { Answer, Shown } from '../screens/data.ts'
import { t } from '../texts/texts.ts'
import { Trouble } from './trouble.tsx'

/** The last answer stays where the next one didn't come, and that is said. */
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

/** That there is nothing, and what to do about it. */
export const Empty = ({ title, says, level = 2 }: { title: string; says: string; level?: 2 | 3 }) => {
  const Heading = `h${level}` as const
  return (
    <div class="empty" role="status">
      <Heading>{title}</Heading>
      <p class="quiet">{says}</p>
    </div>
  )
}
