/**
 * Shared code of all screens. The bundler injects this file before every other (`--inject`), so that every lazily loaded script
 * imports all of it, and it becomes one script. Otherwise each combination of parts would become a script, and a phone waits once
 * for every six of them.
 */
import './frame/frame.tsx'
