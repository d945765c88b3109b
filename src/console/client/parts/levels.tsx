import { counted, tone } from '../screens/values.tsx'

export interface Level {
  key: string
  label: string
  value: number
  /** Address of the filtered list. */
  to?: string
}

/** Bar chart by name, as an accessible table. */
export function Levels({ name, value, levels }: { name: string; value: string; levels: Level[] }) {
  const most = Math.max(1, ...levels.map((one) => one.value))
  return (
    <table class="levels">
      <thead class="unseen">
        <tr>
          <th scope="col">{name}</th>
          <th scope="col">{value}</th>
        </tr>
      </thead>
      <tbody>
        {levels.map((one) => (
          <tr key={one.key}>
            <th scope="row">{one.to ? <a href={one.to}>{one.label}</a> : one.label}</th>
            <td>
              {one.value > 0 && (
                <span
                  class={`level ${tone(one.key)}`}
                  style={{ inlineSize: `${(100 * one.value) / most}%` }}
                  aria-hidden="true"
                />
              )}
              <span class="figure">{counted.format(one.value)}</span>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
