/**
 * The parts that screens are made of. The bundler puts what the same screens use into one script: because each screen is framed, and the frame imports
 * these, they are one script of all, in place of one for each choice of parts that some screen makes.
 */
import './api.ts'
import './addresses.ts'
import './parts/dialog.tsx'
import './parts/field.tsx'
import './parts/icon.tsx'
import './parts/menu.tsx'
import './parts/once.tsx'
import './parts/toasts.tsx'
import './parts/trouble.tsx'
import './parts/why.tsx'
import './screens/data.ts'
import './screens/shape.ts'
import './screens/values.tsx'
import './screens/new-link.tsx'
import './screens/layouts.tsx'
import './screens/days.ts'
import './screens/views.tsx'
import './texts/labels.ts'
