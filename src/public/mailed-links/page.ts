/** One small form: it takes the token from behind the # of its own address and sends it, with what is asked for, to the API. */
import type { PublicCtx } from '#kernel/context.ts'
import type { Answer } from '#kernel/http/answer.ts'
import { page } from '#kernel/http/page.ts'
import { authImage, platformBrand } from '#kernel/modules/branding.ts'

interface Form {
  title: string
  says: string
  /** The route that the form posts to. */
  action: string
  asks: ('email' | 'password')[]
  button: string
  /** The platform's picture that stands on it. */
  picture: Parameters<typeof authImage>[1]
}

const inputs = {
  email: '<label>E-mail address<input name="email" type="email" autocomplete="email" required></label>',
  password: `<label>Password<input name="password" type="password" autocomplete="new-password" minlength="8" required></label>
<label>Password, again<input name="password_confirmation" type="password" autocomplete="new-password" required></label>`,
}

/** Nothing of a request is written into it. */
export const form = async (ctx: PublicCtx, { title, says, action, asks, button, picture }: Form): Promise<Answer> =>
  page({
    title,
    brand: await platformBrand(ctx),
    imageUrl: await authImage(ctx, picture),
    body: `<p>${says}</p>
<form>${asks.map((input) => inputs[input]).join('\n')}<button>${button}</button></form>
<p role="status"></p>`,
    script: `const form = document.querySelector('form')
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const token = decodeURIComponent(location.hash.slice(1))
  const body = JSON.stringify({ ...Object.fromEntries(new FormData(form)), token })
  const reply = await fetch('${action}', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { message, errors = {} } = await reply.json()
  document.querySelector('[role=status]').textContent = Object.values(errors)[0]?.[0] ?? message
  if (reply.ok) form.remove()
})`,
  })
