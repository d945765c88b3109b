import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { z } from 'zod'
import { startTest } from '#test/harness.ts'

const world = await startTest()

describe('the dashboard', () => {
  it('shows no widgets where nothing is installed', async () => {
    const acme = await world.workspace({ modules: [] })
    for (const person of [acme.owner, await acme.user([])]) {
      const { status, body } = await person.get('/dashboard')
      assert.equal(status, 200)
      assert.deepEqual(body, { status: 'success', message: 'OK', data: { widgets: [] }, meta: null })
    }
  })

  it('shows the widgets that are installed and permitted, and only those', async () => {
    const offered = (await world.services.modules.widgets()).flatMap(({ widgets }) => widgets)
    const acme = await world.workspace()
    const all = await acme.owner.get('/dashboard')
    assert.equal(all.status, 200)
    assert.deepEqual(
      all.body.data.widgets.map((widget: { key: string }) => widget.key).sort(),
      offered.map(({ key }) => key).sort(),
    )
    for (const { key, title, data, ...more } of all.body.data.widgets) {
      assert.deepEqual([typeof title, more], ['string', {}], key)
      assert.deepEqual(data, { total_count: 0, rows: [] }, key)
      assert.ok(z.safeParse(offered.find((widget) => widget.key === key)!.reply, data).success, key)
    }
    const nobody = await acme.user([])
    assert.deepEqual((await nobody.get('/dashboard')).body.data.widgets, [])
    for (const { allow } of offered) {
      const person = await acme.user([allow])
      const keys = (await person.get('/dashboard')).body.data.widgets.map((widget: { key: string }) => widget.key)
      const permitted = offered.filter((widget) => widget.allow === allow).map(({ key }) => key)
      assert.deepEqual(keys.sort(), permitted.sort())
    }
    const bare = await world.workspace({ modules: [] })
    assert.deepEqual((await bare.owner.get('/dashboard')).body.data.widgets, [])
  })
})
