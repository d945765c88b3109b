/** The user's own second factor: started with the password, confirmed with a code, removed with both (AUTH-22). */
import type { Actor, BaseCtx, Steps } from '../../context.ts'
import { invalid } from '../../errors.ts'
import { type Account, senderName } from '../accounts.ts'
import { notifyCredentialChange } from '../credential-changes.ts'
import { provePassword } from '../proving.ts'
import { endOneTimeTokens } from '../tokens.ts'
import { enrolment, newRecoveryCodes, newSecret, recoveryHash, stepOf } from './codes.ts'
import { changeFactor, factorStatus, keepPending, lockPending, refusal, removeFactor, verifyCode } from './factor.ts'

type OwnCtx = BaseCtx & { actor: Actor }

const isOff = () => invalid({ two_factor: 'There is no second factor that is turned on.' })

/** Returns a new secret for the authenticator app, as text and as QR code (CEN-13). Throws 422 if there is a confirmed factor. */
export async function beginTwoFactor<C extends OwnCtx>(steps: Steps<C>, account: Account, password: string) {
  const proven = await provePassword(steps, account, password)
  const secret = newSecret()
  return steps.finish(async (ctx) => {
    const { email } = await proven(ctx)
    if (!(await keepPending(ctx, account, secret)))
      throw invalid({ two_factor: 'The second factor is turned on already. Turn it off first.' })
    return enrolment(secret, await senderName(ctx, account), email)
  })
}

/** Turns the second factor on: from now on sign-in requires a code. Returns the recovery codes, only this once. */
export async function confirmTwoFactor(ctx: OwnCtx, account: Account, code: string) {
  const pending = await lockPending(ctx, account)
  if (!pending) throw invalid({ two_factor: 'There is nothing to confirm. Begin again.' })
  const step = stepOf(code, pending.secret, ctx.now)
  if (step === undefined) throw refusal('wrong')
  const { recovery_codes, hashes } = freshCodes(ctx)
  await changeFactor(ctx, account, { confirmed_at: ctx.now, last_step: step, recovery_codes: hashes })
  await notifyCredentialChange(ctx, account, 'two_factor_turned_on')
  return { recovery_codes }
}

/** Turns the second factor off, after checking the password and a code of either kind (CEN-14). */
export async function endTwoFactor<C extends OwnCtx>(
  steps: Steps<C>,
  account: Account,
  sent: { password: string; code: string },
) {
  const proven = await provePassword(steps, account, sent.password)
  const verdict = await steps.finish(async (ctx) => {
    await proven(ctx)
    const verdict = await verifyCode(ctx, account, sent.code)
    if (verdict !== 'right') return verdict
    await removeFactor(ctx, account)
    await endOneTimeTokens(ctx, account, ['two-factor'])
    await notifyCredentialChange(ctx, account, 'two_factor_turned_off')
    return verdict
  })
  if (verdict === 'off') throw isOff()
  if (verdict !== 'right') throw refusal(verdict)
}

/** Replaces the remaining recovery codes. */
export async function renewRecoveryCodes<C extends OwnCtx>(steps: Steps<C>, account: Account, password: string) {
  const proven = await provePassword(steps, account, password)
  return steps.finish(async (ctx) => {
    await proven(ctx)
    if (!(await factorStatus(ctx, account)).enabled) throw isOff()
    const { recovery_codes, hashes } = freshCodes(ctx)
    await changeFactor(ctx, account, { recovery_codes: hashes })
    await notifyCredentialChange(ctx, account, 'recovery_codes_renewed')
    return { recovery_codes }
  })
}

function freshCodes({ services }: BaseCtx) {
  const recovery_codes = newRecoveryCodes()
  return { recovery_codes, hashes: recovery_codes.map((code) => recoveryHash(services.secrets, code)) }
}
