import './look.ts'
import './focus.ts'
import { render } from 'preact'
import { boot } from './boot.ts'
import { Frame } from './frame/frame.tsx'

const page = document.getElementById('console')!
if (boot.realm) render(<Frame />, page)
else {
  // Loaded only before sign-in; the server preloads it there.
  const { SignInPages } = await import('./sign-in/sign-in.tsx')
  render(<SignInPages />, page)
}
