/** Saved views of a list: filters, columns and order of an address, under a name. */
import { useSignal } from '@preact/signals'
import { at, go } from '../addresses.ts'
import { call } from '../api.ts'
import { useAsking } from '../parts/asking-form.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Check, TextField } from '../parts/field.tsx'
import { Icon } from '../parts/icon.tsx'
import { Item, Menu } from '../parts/menu.tsx'
import { tell } from '../parts/toasts.tsx'
import { t } from '../texts/texts.ts'
import { changed, useAnswer } from './data.ts'
import { filtersOf } from './list-query.ts'
import { listAddress, type Screen, summaryOf } from './shape.ts'

interface View {
  id: number
  name: string
  layout: 'list' | 'board'
  columns: string[]
  filters: Record<string, string>
  sort: string | null
  direction: 'asc' | 'desc' | null
  is_shared: boolean
  can_edit: boolean
}
type Shown = Pick<View, 'layout' | 'columns' | 'filters' | 'sort' | 'direction'>

const PATH = '/saved-views'

/** Returns a view's address. */
function addressOf(screen: Screen, { id, layout, columns, filters, sort, direction }: View): string {
  const asked = new URLSearchParams({ view: String(id), ...filters })
  if (sort) asked.set('sort', sort)
  if (direction) asked.set('direction', direction)
  if (columns.length) asked.set('columns', columns.join(','))
  return `${listAddress(screen)}${layout === 'board' && screen.board ? '/board' : ''}?${asked}`
}

/** Returns the current state as a view. */
function shownNow(columns: string[], layout: View['layout']): Shown {
  const { searchParams } = at.value
  const { columns: _, view: __, ...asked } = filtersOf(Object.fromEntries(searchParams))
  const filters = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== ''))
  return {
    ...{ layout, columns, filters },
    sort: searchParams.get('sort'),
    direction: searchParams.get('direction') as View['direction'],
  }
}

const sameFilters = (a: Shown['filters'], b: Shown['filters']) => Object.keys({ ...a, ...b }).every((name) => a[name] === b[name])
const differs = (view: View, now: Shown) =>
  view.sort !== now.sort ||
  view.direction !== now.direction ||
  view.layout !== now.layout ||
  (view.columns.length > 0 && view.columns.join() !== now.columns.join()) ||
  !sameFilters(view.filters, now.filters)

interface Props {
  screen: Screen
  /** Visible columns. */
  columns: string[]
  layout?: View['layout']
}

/** Menu that opens views and saves the current state as one. */
export function Views(props: Props) {
  return summaryOf('saved-views') ? <ViewsMenu {...props} /> : null
}

function ViewsMenu({ screen, columns, layout = 'list' }: Props) {
  const { answer } = useAnswer(PATH, { screen: screen.key, per_page: '100' })
  const isNew = useSignal(false)
  const views: View[] = answer?.data ?? []
  const now = shownNow(columns, layout)
  const active = views.find(({ id }) => String(id) === at.value.searchParams.get('view'))
  const own = views.filter(({ is_shared }) => !is_shared)
  const shared = views.filter(({ is_shared }) => is_shared)
  const update = async (view: View) => {
    const before: Shown = { ...view }
    const put = async (body: Shown) => {
      await call('put', `${PATH}/${view.id}`, { body: { ...body } })
      changed()
    }
    await put(now)
    tell(t('viewSaved', { name: view.name }), {
      label: t('undo'),
      run: () => void put(pick(before)).catch((error) => tell(error.message)),
    })
  }
  const remove = async (view: View) => {
    const { name, is_shared } = view
    await call('delete', `${PATH}/${view.id}`)
    go(listAddress(screen), { replace: true })
    changed()
    const again = () =>
      void call('post', PATH, { body: { screen: screen.key, name, is_shared, ...pick(view) } }).then(changed, (error) =>
        tell(error.message),
      )
    tell(t('deleted', { name }), { label: t('undo'), run: again })
  }
  const item = (view: View) => (
    <Item key={view.id} checked={view === active} act={() => go(addressOf(screen, view))}>
      {view.name}
    </Item>
  )
  return (
    <>
      <Menu
        label={
          <>
            {active?.name ?? t('views')}
            <Icon name="down" />
          </>
        }
      >
        <Item checked={!active && !Object.keys(now.filters).length} act={() => go(listAddress(screen))}>
          {t('viewAll')}
        </Item>
        {own.length > 0 && <div class="group">{t('viewsOwn')}</div>}
        {own.map(item)}
        {shared.length > 0 && <div class="group">{t('viewsShared')}</div>}
        {shared.map(item)}
        <hr />
        {active?.can_edit && differs(active, now) && (
          <Item act={() => void update(active).catch((error) => tell(error.message))}>
            {t('viewUpdate', { name: active.name })}
          </Item>
        )}
        <Item act={() => (isNew.value = true)}>{t('viewNew')}</Item>
        {active?.can_edit && (
          <Item kind="danger" act={() => void remove(active).catch((error) => tell(error.message))}>
            {t('viewDelete', { name: active.name })}
          </Item>
        )}
      </Menu>
      {isNew.value && (
        <NewView
          screen={screen}
          shown={now}
          done={(view) => {
            isNew.value = false
            if (!view) return
            changed()
            tell(t('viewSaved', { name: view.name }))
            go(addressOf(screen, view), { replace: true })
          }}
        />
      )}
    </>
  )
}

const pick = ({ layout, columns, filters, sort, direction }: Shown): Shown => ({ layout, columns, filters, sort, direction })

function NewView({ screen, shown, done }: { screen: Screen; shown: Shown; done: (view?: View) => void }) {
  const name = useSignal('')
  const isShared = useSignal(false)
  const { failure, waits, ask } = useAsking()
  const save = ask(async () => {
    const body = { screen: screen.key, name: name.value, is_shared: isShared.value, ...shown }
    done((await call('post', PATH, { body })).data as View)
  })
  const { message, fields } = failure.value
  return (
    <Dialog title={t('viewNew')} close={() => done()}>
      <form class="dialog-body" onSubmit={save} noValidate>
        <TextField
          label={t('viewName')}
          required
          maxLength={100}
          errors={[...Object.values(fields).flat(), ...(message ? [message] : [])]}
          value={name.value}
          onInput={(event: { currentTarget: HTMLInputElement }) => (name.value = event.currentTarget.value)}
        />
        <Check label={t('viewShare')} checked={isShared.value} onChange={(on) => (isShared.value = on)} />
        <div class="dialog-foot">
          <button type="button" onClick={() => done()}>
            {t('cancel')}
          </button>
          <button type="submit" class="primary" aria-disabled={waits.value}>
            {t('save')}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
