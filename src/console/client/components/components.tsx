/**
 * Catalogue of the console's components with their states and purposes. Available in development to signed-in users. Sends no API
 * requests, so that it shows no workspace data. In English, like the developer documents.
 */
import { useSignal } from '@preact/signals'
import type { ComponentChildren } from 'preact'
import { ApiError } from '../api.ts'
import { Answered, Empty } from '../parts/answered.tsx'
import { AskingForm } from '../parts/asking-form.tsx'
import { Chart } from '../parts/chart.tsx'
import { Dialog } from '../parts/dialog.tsx'
import { Check, Field as Labelled, TextField } from '../parts/field.tsx'
import { Icon, iconNames } from '../parts/icon.tsx'
import { Levels } from '../parts/levels.tsx'
import { Item, Menu } from '../parts/menu.tsx'
import { showOnce } from '../parts/once.tsx'
import { ScreenFrame } from '../parts/screen.tsx'
import { tell } from '../parts/toasts.tsx'
import { Trouble } from '../parts/trouble.tsx'
import { UploadLine } from '../parts/uploads.tsx'
import { WhyButton } from '../parts/why.tsx'
import { Face } from '../screens/card.tsx'
import { initialOf, type Values } from '../screens/form-values.ts'
import { FormFields } from '../screens/inputs.tsx'
import { Pages } from '../screens/pages.tsx'
import { SortHead } from '../screens/rows.tsx'
import type { Field, Row } from '../screens/shape.ts'
import { Value } from '../screens/values.tsx'
import { worded } from '../texts/labels.ts'

const refused = (status: number, message: string, fields: Record<string, string[]> = {}) =>
  new ApiError({ status, code: 'SHOWN', message, fields })

/** Read from the style sheet itself, so that the list is complete and current. */
function tokens(): string[] {
  const rules = (list: CSSRuleList): CSSRule[] =>
    [...list].flatMap((rule) => ('cssRules' in rule ? [rule, ...rules((rule as CSSGroupingRule).cssRules)] : [rule]))
  const roots = [...document.styleSheets]
    .flatMap((sheet) => rules(sheet.cssRules))
    .filter((rule): rule is CSSStyleRule => rule instanceof CSSStyleRule && rule.selectorText === ':root')
  return [...new Set(roots.flatMap(({ style }) => [...style].filter((name) => name.startsWith('--'))))]
}
const tokenValue = (token: string) => getComputedStyle(document.documentElement).getPropertyValue(token).trim()
const isColour = (token: string) => CSS.supports('color', tokenValue(token))

const SPACES = [4, 8, 12, 16, 20, 24, 32, 40, 64]

const field = (name: string, kind: string, more: Partial<Field> = {}): Field => ({
  name,
  kind,
  label: worded(name),
  ...more,
})
const STATES = [
  { value: 'active', label: 'Active' },
  { value: 'pending', label: 'Pending' },
  { value: 'cancelled', label: 'Cancelled' },
  { value: 'draft', label: 'Draft' },
]
const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday'].map((label) => ({ value: label.toLowerCase(), label }))
const FIELDS: Field[] = [
  field('text', 'text', { is_required: true, hint: 'What a hint says stands below the field.', max_length: 80 }),
  ...['number', 'quantity', 'percentage', 'money'].map((kind) => field(kind, kind)),
  ...['date', 'time', 'instant', 'email', 'phone', 'url', 'colour', 'currency', 'secret'].map((kind) => field(kind, kind)),
  field('enum', 'enum', { options: STATES }),
  field('boolean', 'boolean'),
  field('list_of_words', 'list'),
  field('list_of_choices', 'list', { options: WEEKDAYS }),
  field('file', 'file', { accepts: ['pdf', 'png'] }),
  field('long_text', 'long_text'),
  field('json', 'json'),
  field('lines', 'lines', {
    fields: [field('name', 'text', { is_required: true }), field('quantity', 'quantity'), field('unit_price', 'money')],
  }),
]
const WRONG = { text: ['Must not be empty.'], money: ['Must be a number.'], enum: ['Must be one of active, pending.'] }

const PERIODS = Array.from({ length: 12 }, (_, n) => `2026-${String(n + 1).padStart(2, '0')}-01`)
const SALES = { name: 'Sales', values: [12, 18, 9, 24, 31, 22, 27, 35, 30, 41, 38, 46] }
const COSTS = { name: 'Costs', values: [8, 9, 7, 12, 14, 13, 15, 16, 18, 19, 17, 21] }

const CARD: Row = { company: 'Analytical Engines', tags: [{ id: 1, name: 'Fair' }], value: '1500.0000', due_on: '2026-12-24' }

export const ComponentsScreen = () => (
  <ScreenFrame title="Components">
    <div class="components" lang="en">
      <nav aria-label="Components">
        <ul>
          {PARTS.map(({ name }) => (
            <li key={name}>
              <a href={`#${idOf(name)}`}>{name}</a>
            </li>
          ))}
        </ul>
      </nav>
      {PARTS.map(({ name, when, shown: Shown }) => (
        <section key={name} aria-labelledby={idOf(name)}>
          <header>
            <h2 id={idOf(name)}>{name}</h2>
            <p class="quiet">{when}</p>
          </header>
          <Shown />
        </section>
      ))}
    </div>
  </ScreenFrame>
)

const idOf = (name: string) => name.toLowerCase().replaceAll(' ', '-')

const row = (children: ComponentChildren) => <div class="components-row">{children}</div>

interface Part {
  name: string
  /** When to use it. */
  when: string
  shown: () => ComponentChildren
}

const PARTS: Part[] = [
  {
    name: 'Colours',
    when: 'Light, then dark. A screen names tokens and no colours; the accent is the workspace’s, and what stands on it or is written in it is made readable.',
    shown: () => (
      <ul class="components-tokens">
        {tokens()
          .filter(isColour)
          .map((token) => (
            <li key={token}>
              {['light', 'dark'].map((scheme) => (
                <span
                  key={scheme}
                  class="components-swatch"
                  style={{ colorScheme: scheme, backgroundColor: `var(${token})` }}
                  aria-hidden="true"
                />
              ))}
              <code>{token}</code>
            </li>
          ))}
      </ul>
    ),
  },
  {
    name: 'Distances',
    when: 'Everything stands on a grid of 4 px. Controls are as high as a finger needs where one is used.',
    shown: () => (
      <ul class="components-tokens">
        {SPACES.map((px) => (
          <li key={px}>
            <span class="components-space" style={{ inlineSize: `${px}px` }} aria-hidden="true" />
            {px} px
          </li>
        ))}
        {tokens()
          .filter((token) => !isColour(token))
          .map((token) => (
            <li key={token}>
              <code>{token}</code>
              <span class="quiet">{tokenValue(token)}</span>
            </li>
          ))}
      </ul>
    ),
  },
  {
    name: 'Type',
    when: 'The system’s typeface. One h1 a screen, which ScreenFrame makes; figures are tabular and stand at the end.',
    shown: () => (
      <div class="fields">
        <p>Text, 14 on 20 px</p>
        <p class="quiet">What is said besides</p>
        <p class="hint">A hint, 13 px</p>
        <p>
          <strong>What counts</strong>
        </p>
        <p class="numbers">1,143.59</p>
        <p>
          <kbd>Ctrl K</kbd>
        </p>
      </div>
    ),
  },
  {
    name: 'Buttons',
    when: 'One primary a screen: what most come for. What can’t be undone is red, and asks. A button that can’t be used stays and says why.',
    shown: () =>
      row(
        <>
          <button type="button" class="primary">
            Send
          </button>
          <button type="button">Duplicate</button>
          <button type="button" class="plain">
            Show more
          </button>
          <button type="button" class="danger">
            Void
          </button>
          <button type="button" class="only-icon" aria-label="Search">
            <Icon name="search" />
          </button>
          <button type="button">
            <Icon name="upload" />
            Upload
          </button>
          <button type="button" aria-pressed="true">
            Pressed
          </button>
          <WhyButton kind="primary" why="It is paid already." act={() => {}}>
            Pay
          </WhyButton>
          <a class="button" href="#buttons">
            All vendors
          </a>
        </>,
      ),
  },
  {
    name: 'Fields',
    when: 'A label above, a hint and errors below, all tied to the control. Never a placeholder in place of a label.',
    shown: () => (
      <div class="fields">
        <TextField label="Name" defaultValue="Ada Lovelace" />
        <TextField label="Number" required hint="Begins with the year." />
        <TextField label="E-mail" defaultValue="ada" errors={['Must be an e-mail address.']} />
        <Labelled label="State">
          {(tied) => (
            <select {...tied}>
              {STATES.map(({ value, label }) => (
                <option key={value}>{label}</option>
              ))}
            </select>
          )}
        </Labelled>
        <Check label="Remember me" checked />
      </div>
    ),
  },
  {
    name: 'Inputs by kind',
    when: 'Forms of records make themselves of these: FormFields is given the fields as the API describes them.',
    shown: Inputs,
  },
  {
    name: 'Asking form',
    when: 'A few fields and one button. It sends once, and leads to the first field that is wrong. Forms with more use useAsking.',
    shown: () => (
      <AskingForm
        button="Send"
        kind="primary"
        send={async ({ code }) => {
          if (!code) throw refused(422, '', { code: ['Must not be empty.'] })
          throw refused(503, 'The service can’t be reached.')
        }}
      >
        {(errors) => <TextField label="Code" name="code" required errors={errors.code} />}
      </AskingForm>
    ),
  },
  {
    name: 'States and values',
    when: 'Values look by the kind of their field. A state is a tag: green where it is as wished, amber where somebody waits, red where it went wrong, else grey.',
    shown: () =>
      row(
        <>
          {STATES.map(({ value }) => (
            <Value key={value} field={field('state', 'enum', { options: STATES })} row={{ state: value }} />
          ))}
          <Value field={field('money', 'money')} row={{ money: '1143.5900', currency: 'EUR' }} />
          <Value field={field('day', 'date')} row={{ day: '2026-12-24' }} />
          <Value field={field('at', 'instant')} row={{ at: '2026-12-24T18:30:00Z' }} />
          <Value field={field('share', 'percentage')} row={{ share: '19' }} />
          <Value field={field('email', 'email')} row={{ email: 'ada@nordwind.example' }} />
          <Value field={field('colour', 'colour')} row={{ colour: '#2f5bd0' }} />
        </>,
      ),
  },
  {
    name: 'Table',
    when: 'Lists. The first column names the record and leads to it; figures stand at the end. On a phone the rows of a table that is stacked are cards.',
    shown: () => (
      <>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who has no mouse scrolls it by keys */}
        <section class="table-wrap" aria-label="Vendors" tabIndex={0}>
          <table class="stacked">
            <thead>
              <tr>
                <SortHead by="name" label="Name" query={{ sort: 'name' }} />
                <th scope="col">State</th>
                <SortHead by="balance" label="Balance" query={{}} isNumeric />
              </tr>
            </thead>
            <tbody>
              {['Lindqvist Kontor', 'Harbour Ltd'].map((name, n) => (
                <tr key={name}>
                  <th scope="row">
                    <a class="title" href="#table">
                      {name}
                    </a>
                  </th>
                  <td>
                    <Value field={field('state', 'enum', { options: STATES })} row={{ state: STATES[n]!.value }} />
                  </td>
                  <td class="numbers">{(n + 1) * 480.5}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
        <Pages meta={{ current_page: 1, per_page: 2, total: 5, last_page: 3 }} shown={2} />
      </>
    ),
  },
  {
    name: 'Cards',
    when: 'Boards: what a record is called, and below it what one decides by. Face draws the fields by their kinds.',
    shown: () => (
      <div class="board">
        <section aria-label="New">
          <h3>
            New <span class="quiet">1</span>
          </h3>
          <article>
            <div class="line">
              <a class="title" href="#cards">
                Ada Lovelace
              </a>
            </div>
            <Face
              fields={[field('company', 'text'), field('tags', 'list'), field('value', 'money'), field('due_on', 'date')]}
              row={CARD}
            />
          </article>
        </section>
      </div>
    ),
  },
  {
    name: 'Dialog',
    when: 'A question in between, or a look at something. It keeps the focus, and gives it back.',
    shown: Dialogs,
  },
  {
    name: 'Menu',
    when: 'What is seldom needed, and what a row can do. Arrows and letters walk it; what can’t be done says why.',
    shown: () =>
      row(
        <Menu name="What to do" kind="only-icon" place="from-start" label={<Icon name="more" />}>
          <div class="group">Export</div>
          <Item>
            <Icon name="download" />
            CSV
          </Item>
          <hr />
          <Item checked>By name</Item>
          <Item checked={false} isToggle>
            Columns
          </Item>
          <Item why="It needs vendors.delete.">Archive</Item>
          <Item kind="danger">Delete</Item>
        </Menu>,
      ),
  },
  {
    name: 'Toasts',
    when: 'That something was done, with a way back in place of a question before. Never an error that belongs to a field.',
    shown: () =>
      row(
        <>
          <button type="button" onClick={() => tell('The vendor is saved.')}>
            Tell
          </button>
          <button type="button" onClick={() => tell('The vendor is deleted.', { label: 'Undo', run: () => tell('It is back.') })}>
            Tell with a way back
          </button>
          <button type="button" onClick={() => showOnce({ secret: 'shown-once' }, [])}>
            Tell once
          </button>
        </>,
      ),
  },
  {
    name: 'Charts',
    when: 'How something goes over time. Arrow keys walk and read the values; Table shows them all. More than six lines are five and the others.',
    shown: () => (
      <>
        <Chart title="Sales" unit="month" periods={PERIODS} lines={[SALES]} />
        <Chart title="Sales and costs" unit="month" periods={PERIODS} lines={[SALES, COSTS]} />
        <Chart title="Sales and costs as lines" unit="month" periods={PERIODS} lines={[SALES, COSTS]} kind="lines" />
      </>
    ),
  },
  {
    name: 'Levels',
    when: 'How much there is of each name: a table, whose bars say its figures once more.',
    shown: () => (
      <Levels
        name="State"
        value="Invoices"
        levels={[
          { key: 'paid', label: 'Paid', value: 46, to: '#levels' },
          { key: 'unpaid', label: 'Unpaid', value: 12 },
          { key: 'overdue', label: 'Overdue', value: 3 },
        ]}
      />
    ),
  },
  {
    name: 'Answers',
    when: 'Whatever is asked of the API is shown by Answered: it says that it is waited for, and what went wrong; the last answer stays where the next one failed.',
    shown: () => (
      <>
        <Answered of={{ isAged: true, again }}>{() => null}</Answered>
        <Answered
          of={{
            answer: { data: [], meta: {}, etag: undefined },
            error: refused(503, 'The service can’t be reached.'),
            isAged: true,
            again,
          }}
        >
          {() => <p>The last answer, of which there is no newer one.</p>}
        </Answered>
        <Trouble error={refused(0, 'The service can’t be reached.')} again={again} />
        <Trouble error={refused(403, 'You need vendors.view. An administrator can give it to you.')} />
        <Trouble error={refused(404, '')} />
      </>
    ),
  },
  {
    name: 'Empty',
    when: 'A list without rows: what would be here, and how the first one comes. A filter that finds nothing says that instead.',
    shown: () => (
      <Empty level={3} title="No vendors yet" says="Vendors are who you buy from. Make the first one, or import them." />
    ),
  },
  {
    name: 'Uploads',
    when: 'Files on their way: three at once, each with how far it is. They go on while one looks elsewhere.',
    shown: () => (
      <section class="uploads" aria-label="Uploads, as they look">
        <ul>
          {(
            [
              { name: 'waits.pdf', state: 'waits', sent: 0 },
              { name: 'runs.pdf', state: 'runs', sent: 64 },
              { name: 'done.pdf', state: 'done', sent: 100 },
              { name: 'failed.exe', state: 'failed', sent: 0, why: 'Must be one of pdf, png.' },
            ] as const
          ).map(({ name, ...upload }) => (
            <UploadLine key={name} upload={{ file: { name }, ...upload }} again={again} stop={again} />
          ))}
        </ul>
      </section>
    ),
  },
  {
    name: 'Pictures',
    when: 'Beside a word, in its colour; alone only in a button whose name says what it does. A module’s screens choose one of these.',
    shown: () => (
      <ul class="components-icons">
        {iconNames.map((name) => (
          <li key={name}>
            <Icon name={name} />
            <code>{name}</code>
          </li>
        ))}
      </ul>
    ),
  },
]

const again = () => tell('Asked again.')

function Inputs() {
  const values = useSignal<Values>(initialOf(FIELDS, undefined))
  const isWrong = useSignal(false)
  return (
    <form class="form" onSubmit={(event) => event.preventDefault()} noValidate>
      <Check label="With errors" checked={isWrong.value} onChange={(checked) => (isWrong.value = checked)} />
      <FormFields fields={FIELDS} values={values} errors={isWrong.value ? WRONG : {}} />
    </form>
  )
}

function Dialogs() {
  const isOpen = useSignal(false)
  const close = () => {
    isOpen.value = false
  }
  return row(
    <>
      <button type="button" aria-haspopup="dialog" onClick={() => (isOpen.value = true)}>
        Open a dialog
      </button>
      {isOpen.value && (
        <Dialog title="Void the invoice?" close={close}>
          <div class="dialog-body">
            <p>It keeps its number, and counts no more.</p>
            <div class="dialog-foot">
              <button type="button" onClick={close}>
                Cancel
              </button>
              <button type="button" class="danger" onClick={close}>
                Void
              </button>
            </div>
          </div>
        </Dialog>
      )}
    </>,
  )
}
