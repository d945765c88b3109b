/** Rules for sign-in and the own account, in both APIs. The caller is a new user with the harness's password. */
import { appCode, passkeyDevice } from '../../authenticator.ts'
import { PASSWORD } from '../../harness.ts'
import { mailedToken } from '../../operator.ts'
import type { Setting } from '../requests.ts'
import type { Rules } from './rule.ts'

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
export const picture = () => new File([PNG], 'picture.png', { type: 'image/png' })

const NEW = 'a new password, long enough'
const renewed = { password: NEW, password_confirmation: NEW }
const mailed = ({ world, by }: Setting, type: string) => mailedToken(world, type, by.email)
const newAddress = ({ by }: Setting) => by.email.replace('@', '.new@')
const codeAt = ({ world }: Setting, secret: string, step = 0) =>
  appCode(secret, new Date(Date.parse(world.clock.now()) + step * 30_000).toISOString())
const own = ({ perform, by }: Setting) => ({ do: (id: string, body?: object) => perform(id, { by, body }) })

/** Enables the second factor and returns the app's secret. */
async function secondFactor(setting: Setting) {
  const { secret } = await own(setting).do('beginMyTwoFactor', { password: PASSWORD })
  await own(setting).do('confirmMyTwoFactor', { code: codeAt(setting, secret) })
  return secret
}

/** Creates a passkey of the caller and returns its device. */
async function passkey(setting: Setting) {
  const device = passkeyDevice('http://atrium.test')
  const { options, options_token } = await own(setting).do('showMyPasskeysOptions')
  const body = { password: PASSWORD, name: 'A phone', options_token, credential: device.create(options) }
  return { device, made: await own(setting).do('createMyPasskey', body), body }
}

/** A key with read scope. */
const reading = { body: () => ({ scopes: ['read'], allowed_networks: [], expires_at: null }) }

export const accountRules: Rules = {
  createApiKey: reading,
  updateApiKey: reading,
  createServiceAccountKey: reading,
  updateServiceAccountKey: reading,
  login: {
    body: ({ by, firm, api }) => ({
      email: by.email,
      password: PASSWORD,
      ...(api === 'workspace' ? { workspace: firm.slug } : {}),
    }),
  },
  forgotPassword: { body: ({ by, firm }) => ({ email: by.email, workspace: firm.slug }) },
  resetPassword: {
    async body(setting) {
      await own(setting).do('forgotPassword')
      return { email: setting.by.email, token: await mailed(setting, 'auth.reset_password'), ...renewed }
    },
  },
  acceptInvite: {
    async body({ world, perform, api }) {
      const { email } = await (api === 'workspace' ? perform('createUser', { fields: 'required' }) : perform('inviteUsers'))
      return { token: await mailedToken(world, 'auth.invitation', email), ...renewed }
    },
  },
  verifyEmail: {
    async body(setting) {
      await own(setting).do('updateMe', { email: newAddress(setting) })
      return { token: await mailedToken(setting.world, 'auth.verify_email', newAddress(setting)) }
    },
  },
  cancelEmailChange: {
    async body(setting) {
      await own(setting).do('updateMe', { email: newAddress(setting) })
      return { token: await mailed(setting, 'auth.cancel_email_change') }
    },
  },
  updateMe: { body: () => ({ name: 'Another Name' }) },
  uploadMyAvatar: { body: () => ({ file: picture() }) },
  changeMyPassword: { body: () => ({ old_password: PASSWORD, ...renewed }) },
  beginMyTwoFactor: { body: () => ({ password: PASSWORD }) },
  confirmMyTwoFactor: {
    body: async (setting) => ({ code: codeAt(setting, (await own(setting).do('beginMyTwoFactor')).secret) }),
  },
  deleteMyTwoFactor: {
    body: async (setting) => ({ password: PASSWORD, code: codeAt(setting, await secondFactor(setting), 1) }),
  },
  renewMyRecoveryCodes: {
    async body(setting) {
      await secondFactor(setting)
      return { password: PASSWORD }
    },
  },
  answerChallenge: {
    async body(setting) {
      const secret = await secondFactor(setting)
      const { challenge_token } = await own(setting).do('login')
      return { challenge_token, code: codeAt(setting, secret, 1) }
    },
  },
  createMyPasskey: {
    async body(setting) {
      const { options, options_token } = await own(setting).do('showMyPasskeysOptions')
      return { password: PASSWORD, options_token, credential: passkeyDevice('http://atrium.test').create(options) }
    },
  },
  loginByPasskey: {
    async body(setting) {
      const { device } = await passkey(setting)
      const { options, options_token } = await own(setting).do('showPasskeyLoginOptions')
      return { options_token, credential: device.get(options) }
    },
  },
  confirmMyPasskey: { body: () => ({ password: PASSWORD }) },
  deleteMyPasskey: { body: () => ({ password: PASSWORD }) },
}
