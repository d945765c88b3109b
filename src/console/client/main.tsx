import './look.ts'
import './focus.ts'
import { render } from 'preact'
import { boot } from './boot.ts'
import { Frame } from './frame/frame.tsx'

const page = document.getElementById('console')!
if (boot.realm) render(<Frame />, page)
else {
  // Those who have signed in don't wait for it; the server tells others to fetch it at once.
  const { SignInPages } = await import('./sign-in/sign-in.tsx')
  render(<SignInPages />, page)
}
