/**
 * Page to register a workspace. An invitation's secret is in the address's fragment, where neither logs nor the page's server see
 * it. The script requests the invitation's data from the API and sends the secret with the form.
 */
import type { PublicCtx } from '#kernel/context.ts'
import type { Answer } from '#kernel/http/answer.ts'
import { formScript } from '#kernel/http/form-script.ts'
import { onwardHtml, page } from '#kernel/http/page.ts'
import { authImage, platformBrand } from '#kernel/modules/branding.ts'

const api = '/api/central/v1/public'

const form = (signIn: string) => `<noscript><p class="error">This page needs JavaScript.</p></noscript>
<form novalidate>
<label>Company<input name="company_name" maxlength="255" autocomplete="organization" required></label>
<label>Your name<input name="owner_name" maxlength="255" autocomplete="name" required></label>
<label>E-mail address<input name="email" type="email" maxlength="254" autocomplete="email" required></label>
<label>Password<input name="password" type="password" maxlength="200" autocomplete="new-password" required></label>
<label>Password, again<input name="password_confirmation" type="password" autocomplete="new-password" required></label>
<button>Register</button>
</form>
<p role="status"></p>
<nav aria-label="Go on">${onwardHtml([{ label: 'You have a workspace? Sign in', url: signIn }])}</nav>`

const script = `${formScript}
const send = async (path, body) => {
  const reply = await fetch('${api}' + path, body && post(body)).catch(() => undefined)
  return reply ? { ok: reply.ok, ...(await reply.json()) } : { ok: false, message: 'The service does not answer. Please try again.' }
}
const submit = form.querySelector('button')

form.addEventListener('submit', async (event) => {
  event.preventDefault()
  submit.disabled = true
  const { ok, message, errors = {} } = await send('/register-workspace', {
    ...Object.fromEntries(new FormData(form)),
    invite_token: token || null,
  })
  submit.disabled = false
  if (!ok) return showErrors(errors, message)
  say(message)
  form.remove()
})

async function invited() {
  const { ok, message, data } = await send('/beta-invites/' + encodeURIComponent(token))
  if (!ok) return say(message)
  if (data.valid) {
    form.company_name.value = data.company
    form.owner_name.value = data.name
    form.email.value = data.email
    return say('You are invited. Choose a password to begin.')
  }
  if (data.activated) return say('This invitation was used already.')
  if (!data.expired) return say('This invitation is not valid.')
  say('This invitation has expired.')
  const button = Object.assign(document.createElement('button'), { type: 'button', textContent: 'Send me a new one' })
  button.addEventListener('click', async () => {
    button.disabled = true
    say((await send('/beta-invites/resend', { email: data.email })).message)
    button.remove()
  })
  status.after(button)
}
if (token) invited()`

/** Returns the page. It contains nothing from the request. */
export async function registrationPage(ctx: PublicCtx): Promise<Answer> {
  const [brand, imageUrl] = [await platformBrand(ctx), await authImage(ctx, 'register')]
  return page({
    title: 'Register your workspace',
    brand,
    imageUrl,
    about: '<p>A workspace is your firm’s own: nobody else sees what is in it.</p>',
    body: form(ctx.services.config.APP_URL),
    script,
  })
}
