/** Profile picture of an account. */
import type { BaseCtx } from '../context.ts'
import { invalid } from '../errors.ts'
import { picture } from '../storage/images.ts'
import { discardFile, keepUpload, type Upload } from '../storage/uploads.ts'
import { type Account, lockAccount, updateAccount } from './accounts.ts'

/** CEN-09 */
export const avatarRule = picture(2 * 1024 * 1024)

/** Makes an upload the account's picture; the former one is deleted after the commit. Throws 422 on `file` if it is missing. */
export async function keepAvatar(ctx: BaseCtx, account: Account, file: Upload | undefined) {
  if (!file) throw invalid({ file: 'Is required.' })
  await keepUpload(ctx, file)
  await replace(ctx, account, file.key)
}

/** Removes the picture, if there is one. */
export const removeAvatar = (ctx: BaseCtx, account: Account) => replace(ctx, account, null)

async function replace(ctx: BaseCtx, account: Account, avatar_path: string | null) {
  const before = await lockAccount(ctx, account)
  await updateAccount(ctx, account, { avatar_path })
  if (before.avatar_path !== null) await discardFile(ctx, before.avatar_path)
}
