/**
 * Pages of mailed links: small forms that take the token from the address's fragment and send it with the entered values to the
 * API.
 */
import type { PublicCtx } from '#kernel/context.ts'
import type { Answer } from '#kernel/http/answer.ts'
import { formScript } from '#kernel/http/form-script.ts'
import { type Link, onwardHtml, page } from '#kernel/http/page.ts'
import { authImage, platformBrand } from '#kernel/modules/branding.ts'

/** Page with a form that a mailed link opens. */
export interface Form {
  title: string
  says: string
  /** Route that the form posts to. */
  action: string
  asks: ('email' | 'password')[]
  button: string
  /** Links shown afterwards. */
  done: Link[]
  /** Link to request a valid link, if this one isn't. */
  otherwise?: Link
  /** Advice about an invalid link, if no other page helps. */
  advice?: string
  /** Picture of the platform shown on the page. */
  picture: Parameters<typeof authImage>[1]
}

const inputs = {
  email: '<label>E-mail address<input name="email" type="email" maxlength="254" autocomplete="email" required></label>',
  password: `<label>Password<input name="password" type="password" autocomplete="new-password" minlength="8" maxlength="200" required></label>
<label>Password, again<input name="password_confirmation" type="password" autocomplete="new-password" maxlength="200" required></label>`,
}

/** Returns the page. It contains nothing from the request. */
export const form = async (ctx: PublicCtx, of: Form): Promise<Answer> => {
  const { title, says, action, asks, button, done, otherwise, advice, picture } = of
  return page({
    title,
    brand: await platformBrand(ctx),
    imageUrl: await authImage(ctx, picture),
    about: `<p>${says}</p>`,
    body: `<noscript><p class="error">This page needs JavaScript: the secret of your link stays in your browser until you press the button.</p></noscript>
<form novalidate>${asks.map((input) => inputs[input]).join('\n')}
<button>${button}</button></form>
<p role="status"></p>
<nav aria-label="Go on" id="done" hidden>${onwardHtml(done)}</nav>
<div id="otherwise" hidden>${otherwise ? onwardHtml([otherwise]) : ''}${advice ? `<p>${advice}</p>` : ''}</div>`,
    script: `${formScript}
const button = form.querySelector('button')
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  button.disabled = true
  const reply = await fetch('${action}', post({ ...Object.fromEntries(new FormData(form)), token })).catch(() => undefined)
  button.disabled = false
  if (!reply) return say('The service does not answer. Please try again.')
  const { message, errors = {} } = await reply.json()
  document.getElementById('otherwise').hidden = reply.ok || !('token' in errors)
  if (!reply.ok) return showErrors(errors, message)
  say(message)
  form.remove()
  document.getElementById('done').hidden = false
})`,
  })
}
