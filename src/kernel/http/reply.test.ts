import assert from 'node:assert/strict'
import { it } from 'node:test'
import { z } from 'zod'
import { envelopeWriter } from './reply.ts'
import { open } from './route.ts'

it('what a reply doesn’t name can not leave, in a component either that is described where it stands', () => {
  const Stage = z.object({ id: z.int() }).meta({ id: 'ReplyTestStage' })
  const reply = z.object({ stage: Stage.describe('Where it stands.'), earlier: Stage.nullable().describe('Where it stood.') })
  const write = envelopeWriter(open.get('/', { allow: 'anybody', reply }, () => undefined as never))
  const row = { id: 1, tenant_id: 2 }
  const { data } = JSON.parse(write('OK', { stage: row, earlier: row, secret: 'x' }))
  assert.deepEqual(data, { stage: { id: 1 }, earlier: { id: 1 } })
})
