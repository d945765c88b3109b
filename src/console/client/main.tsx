import './look.ts'
import './focus.ts'
import { render } from 'preact'
import { boot } from './boot.ts'
import { Frame } from './frame/frame.tsx'
import { SignInPages } from './sign-in/sign-in.tsx'

render(boot.realm ? <Frame /> : <SignInPages />, document.getElementById('console')!)
