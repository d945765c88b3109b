/**
 * Script of forms whose secret is in the fragment of their URL. Shows the API's error for each field next to it, and announces it
 * to screen readers.
 */
export const formScript = `const form = document.querySelector('form')
const status = document.querySelector('[role=status]')
const token = decodeURIComponent(location.hash.slice(1))
const post = (body) => ({ method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
const say = (text) => { status.textContent = text }

function showErrors(errors, message) {
  for (const told of form.querySelectorAll('.error')) told.remove()
  const beside = []
  for (const input of form.querySelectorAll('input')) {
    const [wrong] = errors[input.name] ?? []
    input.removeAttribute('aria-invalid')
    input.removeAttribute('aria-describedby')
    if (!wrong) continue
    beside.push(input.name)
    const told = Object.assign(document.createElement('p'), { className: 'error', id: input.name + '_error', textContent: wrong })
    input.setAttribute('aria-invalid', 'true')
    input.setAttribute('aria-describedby', told.id)
    input.closest('label').after(told)
  }
  const others = Object.entries(errors).filter(([name]) => !beside.includes(name)).map(([, [wrong]]) => wrong)
  say(others.join(' ') || (beside.length ? 'Please look at what is marked.' : message))
  form.querySelector('[aria-invalid]')?.focus()
}`
