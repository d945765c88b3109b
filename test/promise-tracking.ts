/**
 * The test runner follows every promise by an async hook, to name the test of an error that nobody caught. That is a seventh of the processor
 * time of files that ask much, so `npm test` of everything switches it off while tests run: such an error then fails its lane without the
 * test's name, which `npm test -- <file>` tells. While tests are declared it is on, because by it the runner knows to which suite they belong.
 * To get hold of the hook, this is loaded before the runner.
 */
import asyncHooks, { type AsyncHook } from 'node:async_hooks'

const { createHook } = asyncHooks
let hook: AsyncHook | undefined
asyncHooks.createHook = (callbacks) => {
  const made = createHook(callbacks)
  hook ??= made
  return made
}

export const trackPromises = (whether: boolean) => void (whether ? hook?.enable() : hook?.disable())
