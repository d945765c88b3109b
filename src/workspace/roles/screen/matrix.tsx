/**
 * Permission matrix: a row for each permission, a column for each role. Changes are collected, reviewed, and then saved role by
 * role.
 */
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { ApiError, call } from '#console/client/api.ts'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { Icon } from '#console/client/parts/icon.tsx'
import { ScreenFrame } from '#console/client/parts/screen.tsx'
import { tell } from '#console/client/parts/toasts.tsx'
import { Trouble } from '#console/client/parts/trouble.tsx'
import { changed, useAnswer } from '#console/client/screens/data.ts'
import { isNarrow } from '#console/client/screens/narrow.ts'
import { listAddress, may, recordAddress, told } from '#console/client/screens/shape.ts'
import { counted } from '#console/client/screens/values.tsx'
import { permissionNamed, permitted, sentence } from '#console/client/texts/labels.ts'
import { t } from './texts.ts'

interface Role {
  id: number
  name: string
  is_protected: boolean
  permissions: string[]
  users_count: number
}
interface Permission {
  name: string
  group: string
  description: string
}
interface Group {
  key: string
  title: string
  permissions: Permission[]
}

/** Identifies the seeded roles; only `member` can be renamed. */
const kindOf = ({ is_protected, name }: Role) =>
  is_protected ? 'owner' : name === 'admin' || name === 'member' ? name : undefined

const MAX_ROLES = 100
const SCREEN = { key: 'roles' }
/** Unsaved changes: by role and permission, whether it is granted. */
type Changes = ReadonlyMap<number, ReadonlyMap<string, boolean>>

export default function Matrix() {
  const roles = useAnswer('/roles', { per_page: String(MAX_ROLES), sort: 'created_at', direction: 'asc' })
  const permissions = useAnswer('/permissions')
  const error = roles.error ?? permissions.error
  const again = () => {
    roles.again()
    permissions.again()
  }
  return (
    <ScreenFrame
      title={t('title')}
      tools={
        may(['roles.create']) && (
          <a class="button primary" href={`${listAddress(SCREEN)}/new`}>
            <Icon name="plus" />
            {t('newRole')}
          </a>
        )
      }
    >
      {roles.answer && permissions.answer ? (
        <Grid roles={roles.answer.data} total={roles.answer.meta.total} permissions={permissions.answer.data} />
      ) : error ? (
        <Trouble error={error} again={again} />
      ) : (
        <p class="quiet">{t('loading')}</p>
      )}
    </ScreenFrame>
  )
}

/** Returns the permissions of installed modules, by module. */
function groupsOf(permissions: Permission[], term: string): Group[] {
  const wanted = term.trim().toLowerCase()
  const fits = ({ name, description }: Permission) =>
    !wanted ||
    name.includes(wanted) ||
    description.toLowerCase().includes(wanted) ||
    permitted(description).toLowerCase().includes(wanted)
  return (told.modules ?? []).flatMap(({ key, title }) => {
    const own = permissions.filter((one) => one.group === key)
    const found = wanted && title.toLowerCase().includes(wanted) ? own : own.filter(fits)
    return found.length ? [{ key, title, permissions: found }] : []
  })
}

/** Returns why the user can't change a role; undefined: they can. */
function lockOf(role: Role, everyday: Set<string>): string | undefined {
  const kind = kindOf(role)
  if (kind === 'owner' || kind === 'admin') return t(kind, { role: role.name })
  if (!may(['roles.update'])) return t('mayNot')
  const more = role.permissions.find((name) => !may([name]) && !everyday.has(name))
  return more && t('beyond', { role: role.name, permission: permissionNamed(more) })
}

function Grid({ roles, total, permissions }: { roles: Role[]; total: number; permissions: Permission[] }) {
  const changes = useSignal<Changes>(new Map())
  const term = useSignal('')
  const chosen = useSignal(roles.find((role) => !['owner', 'admin'].includes(kindOf(role) ?? ''))?.id ?? roles[0]!.id)
  const said = useSignal('')
  const isReviewing = useSignal(false)
  /** Cell that Tab moves to (roving tabindex). */
  const at = useSignal<[row: number, column: number]>([0, 0])
  const table = useRef<HTMLTableElement>(null)
  const everyday = new Set(roles.find((role) => kindOf(role) === 'member')?.permissions)
  const groups = groupsOf(permissions, term.value)
  const shown = isNarrow.value ? roles.filter(({ id }) => id === chosen.value) : roles
  const locks = new Map(roles.map((role) => [role.id, lockOf(role, everyday)]))
  const holds = (role: Role, name: string) =>
    kindOf(role) === 'owner' || (changes.value.get(role.id)?.get(name) ?? role.permissions.includes(name))
  const whyNot = (role: Role, name: string) =>
    locks.get(role.id) ??
    (holds(role, name) || role.permissions.includes(name) || may([name])
      ? undefined
      : t('notHeld', { permission: permissionNamed(name) }))
  const set = (role: Role, names: string[], on: boolean) => {
    const own = new Map(changes.value.get(role.id))
    for (const name of names) {
      if (whyNot(role, name)) continue
      if (role.permissions.includes(name) === on) own.delete(name)
      else own.set(name, on)
    }
    const next = new Map(changes.value)
    if (own.size) next.set(role.id, own)
    else next.delete(role.id)
    changes.value = next
  }
  const count = [...changes.value.values()].reduce((sum, own) => sum + own.size, 0)
  /** Each row is a group or a permission; a group's row stands for all of its permissions. */
  const rows = groups.flatMap((group) => [group, ...group.permissions])
  const focus = (row: number, column: number) => {
    at.value = [Math.max(0, Math.min(rows.length - 1, row)), Math.max(0, Math.min(shown.length - 1, column))]
    table.current?.querySelector<HTMLElement>(`[data-at="${at.value.join(' ')}"]`)?.focus()
  }
  const walk = (event: KeyboardEvent) => {
    const [row, column] = at.value
    const isMirrored = getComputedStyle(event.currentTarget as Element).direction === 'rtl'
    const onward = isMirrored ? -1 : 1
    const isWhole = event.ctrlKey || event.metaKey
    const heads = rows.flatMap((one, n) => ('permissions' in one ? n : []))
    const moves: Record<string, [number, number]> = {
      ArrowDown: [row + 1, column],
      ArrowUp: [row - 1, column],
      ArrowRight: [row, column + onward],
      ArrowLeft: [row, column - onward],
      Home: [isWhole ? 0 : row, 0],
      End: [isWhole ? rows.length : row, shown.length],
      PageDown: [heads.find((head) => head > row) ?? rows.length, column],
      PageUp: [heads.findLast((head) => head < row) ?? 0, column],
    }
    const to = moves[event.key]
    if (!to) return
    event.preventDefault()
    focus(...to)
  }
  const here: [number, number] = [Math.min(at.value[0], rows.length - 1), Math.min(at.value[1], shown.length - 1)]
  const cell = (
    row: number,
    column: number,
    label: string,
    why: string | undefined,
    state: boolean | 'some',
    toggle: () => void,
  ) => (
    <input
      type="checkbox"
      aria-label={label}
      checked={state === true}
      indeterminate={state === 'some'}
      aria-disabled={why !== undefined}
      title={why}
      data-at={`${row} ${column}`}
      tabIndex={row === here[0] && column === here[1] ? 0 : -1}
      onFocus={() => {
        at.value = [row, column]
        said.value = why ?? ''
      }}
      onClick={(event) => {
        if (why === undefined) return toggle()
        event.preventDefault()
        said.value = why
      }}
    />
  )
  let row = -1
  return (
    <>
      <p class="quiet roles-says">{t('says')}</p>
      {total > roles.length && <p class="quiet">{t('more', { count: roles.length, total: counted.format(total) })}</p>}
      <search class="filters">
        <div class="search">
          <Icon name="search" />
          <input
            type="search"
            aria-label={t('find')}
            placeholder={t('find')}
            value={term.value}
            onInput={(event) => (term.value = event.currentTarget.value)}
          />
        </div>
        {isNarrow.value && (
          <label class="filter">
            <span>{t('role')}</span>
            <select value={chosen.value} onChange={(event) => (chosen.value = Number(event.currentTarget.value))}>
              {roles.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        )}
      </search>
      {rows.length === 0 ? (
        <p class="quiet" role="status">
          {t('nothing')}
        </p>
      ) : (
        <div class="roles-matrix">
          <table ref={table} role="grid" aria-label={t('title')} onKeyDown={walk}>
            <thead>
              <tr>
                <th scope="col">{t('permission')}</th>
                {shown.map((role) => (
                  <th key={role.id} scope="col">
                    <a href={recordAddress(SCREEN, role.id)} title={role.name}>
                      {role.name}
                    </a>
                    <small>{role.users_count === 1 ? t('person') : t('people', { count: role.users_count })}</small>
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {groups.map((group) => {
                const head = ++row
                return [
                  <tr key={group.key} class="roles-group">
                    <th scope="row">{group.title}</th>
                    {shown.map((role, column) => {
                      const names = group.permissions.map(({ name }) => name)
                      const held = names.filter((name) => holds(role, name)).length
                      const open = names.filter((name) => whyNot(role, name) === undefined)
                      const state = held === names.length ? true : held ? 'some' : false
                      return (
                        <td key={role.id}>
                          {cell(
                            head,
                            column,
                            t('all', { module: group.title, role: role.name }),
                            open.length ? undefined : whyNot(role, names.find((name) => whyNot(role, name))!),
                            state,
                            () => set(role, open, !open.every((name) => holds(role, name))),
                          )}
                        </td>
                      )
                    })}
                  </tr>,
                  ...group.permissions.map(({ name, description }) => {
                    const line = ++row
                    return (
                      <tr key={name}>
                        <th scope="row">
                          {permitted(description)}
                          <small>{name}</small>
                        </th>
                        {shown.map((role, column) => (
                          <td key={role.id} class={changes.value.get(role.id)?.has(name) ? 'roles-changed' : undefined}>
                            {cell(
                              line,
                              column,
                              t('one', { permission: permitted(description), role: role.name }),
                              whyNot(role, name),
                              holds(role, name),
                              () => set(role, [name], !holds(role, name)),
                            )}
                          </td>
                        ))}
                      </tr>
                    )
                  }),
                ]
              })}
            </tbody>
          </table>
        </div>
      )}
      <div class="roles-foot">
        <p role="status">{said.value}</p>
        {count > 0 && (
          <>
            <span class="numbers">{count === 1 ? t('oneChange') : t('changes', { count })}</span>
            <button type="button" onClick={() => (changes.value = new Map())}>
              {t('discard')}
            </button>
            <button type="button" class="primary" onClick={() => (isReviewing.value = true)}>
              {t('review')}
            </button>
          </>
        )}
      </div>
      {isReviewing.value && (
        <Review
          changes={changes.value}
          roles={roles}
          sayOf={(name) => permitted(permissions.find((one) => one.name === name)?.description ?? name)}
          close={(left) => {
            isReviewing.value = false
            if (left) changes.value = left
          }}
        />
      )}
    </>
  )
}

/** Applies the changes of one role to its current permissions. Throws the API's errors. */
async function save(id: number, own: ReadonlyMap<string, boolean>) {
  const { data, etag } = await call('get', `/roles/${id}`)
  const kept = (data as Role).permissions.filter((name) => own.get(name) !== false)
  const permissions = [...new Set([...kept, ...[...own].flatMap(([name, on]) => (on ? name : []))])]
  await call('put', `/roles/${id}`, { body: { permissions }, ...(etag ? { ifMatch: etag } : {}) })
}

/** Dialog that lists granted and revoked permissions before saving. Calls `close` with the unsaved changes if some were saved. */
function Review({
  changes,
  roles,
  sayOf,
  close,
}: {
  changes: Changes
  roles: Role[]
  sayOf: (permission: string) => string
  close: (left?: Changes) => void
}) {
  const failed = useSignal<string[]>([])
  const waits = useSignal(false)
  const left = useRef(new Map(changes))
  const send = async () => {
    if (waits.value) return
    waits.value = true
    const told: string[] = []
    for (const [id, own] of [...left.current])
      try {
        await save(id, own)
        left.current.delete(id)
      } catch (error) {
        const message = error instanceof ApiError && error.status === 412 ? t('stale') : said(error)
        told.push(t('failed', { role: roles.find((role) => role.id === id)!.name, message }))
      }
    waits.value = false
    failed.value = told
    changed()
    if (told.length) return
    tell(t('saved'))
    close(new Map())
  }
  const leave = () => close(left.current.size < changes.size ? left.current : undefined)
  return (
    <Dialog title={t('reviewTitle')} close={leave}>
      <div class="dialog-body">
        <div role="alert">
          {failed.value.map((text) => (
            <p class="notice bad" key={text}>
              {text}
            </p>
          ))}
        </div>
        {roles
          .filter(({ id }) => left.current.has(id))
          .map(({ id, name }) => {
            const own = [...left.current.get(id)!]
            return (
              <section class="roles-diff" key={id} aria-label={name}>
                <h3>{name}</h3>
                <Side title={t('gives')} sign="+" names={own.flatMap(([one, on]) => (on ? sayOf(one) : []))} />
                <Side title={t('takes')} sign="−" names={own.flatMap(([one, on]) => (on ? [] : sayOf(one)))} />
              </section>
            )
          })}
        <div class="dialog-foot">
          <button type="button" onClick={leave}>
            {t('cancel')}
          </button>
          <button type="button" class="primary" aria-disabled={waits.value} onClick={() => void send()}>
            {t('save')}
          </button>
        </div>
      </div>
    </Dialog>
  )
}

const said = (error: unknown) =>
  error instanceof ApiError ? sentence(Object.values(error.fields).flat()[0] ?? error.message) : String(error)

const Side = ({ title, sign, names }: { title: string; sign: string; names: string[] }) =>
  names.length ? (
    <ul aria-label={title} class={sign === '+' ? 'roles-gives' : 'roles-takes'}>
      {names.map((name) => (
        <li key={name}>
          <span aria-hidden="true">{sign}</span> {name}
        </li>
      ))}
    </ul>
  ) : null
