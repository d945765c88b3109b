/** Panel of a product next to the list: its warehouses, and its movements. */
import { useSignal } from '@preact/signals'
import { Dialog } from '#console/client/parts/dialog.tsx'
import { Trouble } from '#console/client/parts/trouble.tsx'
import { useAnswer } from '#console/client/screens/data.ts'
import { type Row, recordAddress, screens, summaryOf } from '#console/client/screens/shape.ts'
import { t as common, moment } from '#console/client/texts/texts.ts'
import { changeText, type Level, Low, quantityText } from './levels.tsx'
import { t } from './texts.ts'

const STEP = 25
/** Maximum of one API reply; the list of movements has all of them. */
const MAX_SHOWN = 100

const NAMES = { in: 'in', out: 'out', adjust: 'counted', transfer_in: 'transfer_in', transfer_out: 'transfer_out' } as const
const changeOf = ({ type, quantity }: Row) => (type === 'out' || type === 'transfer_out' ? -quantity : quantity)

export function ProductPanel({
  id,
  adjust,
  close,
}: {
  id: string
  adjust: ((level: Level) => void) | undefined
  close: () => void
}) {
  const shown = useSignal(STEP)
  const levels = useAnswer('/inventory/stock', { product_id: id, per_page: '100', sort: 'on_hand', direction: 'desc' })
  const moved = useAnswer('/inventory/stock/movements', { product_id: id, per_page: String(shown.value) })
  const all: Level[] = levels.answer?.data ?? []
  const movements: Row[] = moved.answer?.data ?? []
  const product = all[0]?.product ?? movements[0]?.product
  const products = summaryOf('products')
  const error = levels.error ?? moved.error
  const total: number = moved.answer?.meta.total ?? 0
  return (
    <Dialog title={product?.name ?? t('product')} kind="inventory-panel" close={close}>
      <div class="dialog-body">
        <p class="inventory-about">
          <span class="quiet">{product?.sku}</span>
          {product && products?.has_record && <a href={recordAddress(products, product.id)}>{t('productPage')}</a>}
        </p>
        {error && !levels.answer ? <Trouble error={error} again={levels.again} /> : null}
        <section>
          <h3>{t('levels')}</h3>
          {levels.answer && !all.length && <p class="quiet">{t('nowhere')}</p>}
          {all.length > 0 && (
            <table class="inventory-levels">
              <thead class="unseen">
                <tr>
                  <th scope="col">{t('warehouse')}</th>
                  <th scope="col">{t('onHand')}</th>
                  {adjust && <th scope="col">{common('actions')}</th>}
                </tr>
              </thead>
              <tbody>
                {all.map((level) => (
                  <tr key={level.id}>
                    <th scope="row">
                      {level.warehouse.name} {level.is_low && <Low />}
                    </th>
                    <td class="numbers inventory-level">{quantityText(level.on_hand)}</td>
                    {adjust && (
                      <td class="inventory-deeds">
                        <button
                          type="button"
                          class="plain"
                          aria-label={t('adjustOf', { name: level.warehouse.name })}
                          onClick={() => adjust(level)}
                        >
                          {t('adjust')}
                        </button>
                      </td>
                    )}
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </section>
        <section>
          <h3>{t('movements')}</h3>
          {moved.answer && !movements.length && <p class="quiet">{t('noMovements')}</p>}
          {movements.length > 0 && (
            <table class="inventory-movements">
              <thead>
                <tr>
                  <th scope="col">{t('what')}</th>
                  <th scope="col" class="numbers">
                    {t('change')}
                  </th>
                  <th scope="col" class="numbers">
                    {t('after')}
                  </th>
                </tr>
              </thead>
              <tbody>
                {movements.map((movement) => (
                  <tr key={movement.id}>
                    <td>
                      {t(NAMES[movement.type as 'in'])} <Why movement={movement} />
                      <small class="quiet">
                        {[movement.warehouse.name, movement.actor?.name, moment.format(new Date(movement.created_at))]
                          .filter(Boolean)
                          .join(' · ')}
                      </small>
                      {movement.notes && <small>{movement.notes}</small>}
                    </td>
                    <td class={`numbers ${changeOf(movement) < 0 ? 'inventory-out' : 'inventory-in'}`}>
                      {changeText(changeOf(movement))}
                    </td>
                    <td class="numbers">{quantityText(movement.balance_after)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
          {total > shown.value && shown.value < MAX_SHOWN && (
            <button type="button" class="plain" onClick={() => (shown.value = MAX_SHOWN)}>
              {t('more')}
            </button>
          )}
        </section>
        <div class="dialog-foot">
          <button type="button" onClick={close}>
            {common('close')}
          </button>
        </div>
      </div>
    </Dialog>
  )
}

/** Link to the document that caused the movement. */
function Why({ movement: { reference } }: { movement: Row }) {
  if (!reference) return null
  const screen = screens.find(({ resource, has_record }) => resource === reference.type && has_record)
  const name = reference.number ?? `#${reference.id}`
  return screen ? <a href={recordAddress(screen, reference.id)}>{name}</a> : name
}
