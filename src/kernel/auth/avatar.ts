/** The picture of an account. */
import type { BaseCtx } from '../context.ts'
import { invalid } from '../errors.ts'
import { picture } from '../storage/images.ts'
import { discardFile, keepUpload, type Upload } from '../storage/uploads.ts'
import { type Account, lockAccount, updateAccount } from './accounts.ts'

/** CEN-09 */
export const avatarRule = picture(2 * 1024 * 1024)

/** Makes an uploaded picture the account's; the former one goes when the change is committed. 422 on `file` without any. */
export async function keepAvatar(ctx: BaseCtx, account: Account, file: Upload | undefined) {
  if (!file) throw invalid({ file: 'Is required.' })
  await keepUpload(ctx, file)
  await replace(ctx, account, file.key)
}

/** Takes the picture away; none is no error. */
export const removeAvatar = (ctx: BaseCtx, account: Account) => replace(ctx, account, null)

async function replace(ctx: BaseCtx, account: Account, avatar_path: string | null) {
  const before = await lockAccount(ctx, account)
  await updateAccount(ctx, account, { avatar_path })
  if (before.avatar_path !== null) await discardFile(ctx, before.avatar_path)
}
