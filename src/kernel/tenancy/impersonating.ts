/** What somebody who works as another may not do: change that account itself. */
import type { Actor } from '../context.ts'
import { forbidden } from '../errors.ts'

/** 403 IMPERSONATING to whoever works as somebody else. */
export function refuseImpersonating({ impersonator }: Pick<Actor, 'impersonator'>) {
  if (impersonator) throw forbidden('This can’t be done while you work as somebody else.', 'IMPERSONATING')
}
