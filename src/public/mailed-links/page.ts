/** One small page: it takes the token from its own address and sends it, with what is asked for, to the API. Nothing of a request is written into it. */
import type { FileReply } from '#kernel/http/route.ts'

interface Form {
  title: string
  says: string
  /** The route that the form posts to. */
  action: string
  asks: ('email' | 'password')[]
  button: string
}

const inputs = {
  email: '<label>E-mail address<input name="email" type="email" autocomplete="email" required></label>',
  password: `<label>Password<input name="password" type="password" autocomplete="new-password" minlength="8" required></label>
<label>Password, again<input name="password_confirmation" type="password" autocomplete="new-password" required></label>`,
}

export function page({ title, says, action, asks, button }: Form): FileReply {
  const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
<style>
body { margin: 0; background: #f4f5f7; color: #1c2430; font: 16px/1.5 system-ui, sans-serif }
main { max-width: 26rem; margin: 12vh auto; padding: 2rem; background: #fff; border-radius: 8px }
h1 { margin: 0 0 .5rem; font-size: 1.3rem; color: #1f4f82 }
label { display: block; margin-top: 1rem }
input { box-sizing: border-box; width: 100%; padding: .5rem; font: inherit; border: 1px solid #b9c2cd; border-radius: 6px }
button { margin-top: 1.5rem; padding: .6rem 1.1rem; font: inherit; color: #fff; background: #1f4f82; border: 0; border-radius: 6px }
[role=status] { margin-top: 1rem }
</style>
<main>
<h1>${title}</h1>
<p>${says}</p>
<form>${asks.map((input) => inputs[input]).join('\n')}<button>${button}</button></form>
<p role="status"></p>
</main>
<script>
const form = document.querySelector('form')
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  const token = decodeURIComponent(location.pathname.split('/').pop())
  const body = JSON.stringify({ ...Object.fromEntries(new FormData(form)), token })
  const reply = await fetch('${action}', { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { message } = await reply.json()
  document.querySelector('[role=status]').textContent = message
  if (reply.ok) form.remove()
})
</script>
</html>
`
  return { name: 'page.html', type: 'text/html; charset=utf-8', disposition: 'inline', content: () => Buffer.from(html) }
}
