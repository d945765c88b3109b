/** Stock by product and warehouse: low stock marked, a product's movements next to it, and corrections by hand. */
import { useSignal } from '@preact/signals'
import { at, go } from '#console/client/addresses.ts'
import { useEvents } from '#console/client/events.ts'
import { Answered, Empty } from '#console/client/parts/answered.tsx'
import { ScreenFrame } from '#console/client/parts/screen.tsx'
import { changed, useAnswer } from '#console/client/screens/data.ts'
import { drawnList, ListTools } from '#console/client/screens/drawn-list.tsx'
import { Filters } from '#console/client/screens/filters.tsx'
import { queryOf, refine } from '#console/client/screens/list-query.ts'
import { Pages } from '#console/client/screens/pages.tsx'
import { SortHead } from '#console/client/screens/rows.tsx'
import { listAddress, may, type Screen, summaryOf } from '#console/client/screens/shape.ts'
import { counted } from '#console/client/screens/values.tsx'
import { t as common, moment } from '#console/client/texts/texts.ts'
import { AdjustDialog, type Adjusted } from './adjust.tsx'
import { type Level, Low, quantityText } from './levels.tsx'
import { ProductPanel } from './product.tsx'
import { t } from './texts.ts'

const OPEN = /^#product-(\d{1,15})$/

/** Opens the movements of a product, or closes them; the address contains which are open. */
const openProduct = (id: number | undefined) => {
  const url = new URL(at.value)
  url.hash = id === undefined ? '' : `product-${id}`
  go(url.href, { replace: id === undefined })
}

export default drawnList(Stock)

function Stock({ screen }: { screen: Screen }) {
  const query = queryOf(screen)
  const levels = useAnswer(screen.path, query)
  const { page: _, per_page: __, sort: ___, direction: ____, ...filters } = query
  const stats = useAnswer(screen.stats ?? undefined, filters)
  const adjusting = useSignal<Adjusted | undefined>(undefined)
  useEvents('stock_level', changed)
  const adjust = screen.list_actions.find(({ path }) => path.endsWith('/adjust'))
  const transfers = summaryOf('inventory-transfers')
  const isLowOnly = query.low_stock === 'true'
  const opened = OPEN.exec(at.value.hash)?.[1]
  const mayAdjust = adjust !== undefined && may(adjust.allow)
  return (
    <ScreenFrame
      title={screen.title}
      tools={
        <>
          <ListTools screen={screen} query={query}>
            {transfers && (
              <a class="button" href={listAddress(transfers)}>
                {t('transfers')}
              </a>
            )}
          </ListTools>
          {mayAdjust && (
            <button type="button" class="primary" onClick={() => (adjusting.value = {})}>
              {adjust.label}
            </button>
          )}
        </>
      }
    >
      <Filters screen={screen} query={query} />
      {stats.answer && (
        <p class="inventory-figures">
          <span class="quiet">{t('inStock', { count: counted.format(stats.answer.data.total_skus_with_stock) })}</span>
          <button
            type="button"
            class={stats.answer.data.low_stock_count > 0 ? 'inventory-low' : undefined}
            aria-pressed={isLowOnly}
            title={t('lowOnly')}
            onClick={() => refine({ low_stock: isLowOnly ? undefined : 'true' })}
          >
            {t('low', { count: counted.format(stats.answer.data.low_stock_count) })}
          </button>
        </p>
      )}
      <Answered of={levels}>
        {({ data: rows, meta }: { data: Level[]; meta: any }) =>
          rows.length === 0 ? (
            <Empty title={t('noStock')} says={Object.keys(filters).length ? common('emptyFoundSays') : t('noStockSays')} />
          ) : (
            <>
              <section class="table-wrap" aria-label={screen.title}>
                <table class="stacked inventory-table">
                  <thead>
                    <tr>
                      <SortHead by="name" label={t('product')} query={query} />
                      <th scope="col">{t('warehouse')}</th>
                      <SortHead by="on_hand" label={t('onHand')} query={query} isNumeric />
                      <SortHead by="reorder_level" label={t('reorder')} query={query} isNumeric />
                      <SortHead by="is_low" label={t('state')} query={query} usual="desc" />
                      <SortHead by="updated_at" label={t('changedAt')} query={query} usual="desc" />
                      {mayAdjust && (
                        <th scope="col">
                          <span class="unseen">{common('actions')}</span>
                        </th>
                      )}
                    </tr>
                  </thead>
                  <tbody>
                    {rows.map((level) => (
                      <tr key={level.id} data-low={level.is_low || undefined}>
                        <th scope="row">
                          <button
                            type="button"
                            class="inventory-product"
                            aria-haspopup="dialog"
                            aria-label={t('movementsOf', { name: level.product.name })}
                            onClick={() => openProduct(level.product.id)}
                          >
                            {level.product.name}
                          </button>
                          <small class="quiet">{level.product.sku}</small>
                        </th>
                        <td>{level.warehouse.name}</td>
                        <td class="numbers inventory-level">{quantityText(level.on_hand)}</td>
                        <td class="numbers quiet">{level.reorder_level > 0 && quantityText(level.reorder_level)}</td>
                        <td>{level.is_low && <Low />}</td>
                        <td class="quiet">
                          <time dateTime={level.updated_at}>{moment.format(new Date(level.updated_at))}</time>
                        </td>
                        {mayAdjust && (
                          <td class="inventory-deeds">
                            <button
                              type="button"
                              class="plain"
                              aria-label={t('adjustOf', { name: `${level.product.name}, ${level.warehouse.name}` })}
                              onClick={() => (adjusting.value = level)}
                            >
                              {t('adjust')}
                            </button>
                          </td>
                        )}
                      </tr>
                    ))}
                  </tbody>
                </table>
              </section>
              <Pages meta={meta} shown={rows.length} />
            </>
          )
        }
      </Answered>
      {opened && (
        <ProductPanel
          id={opened}
          adjust={mayAdjust ? (level) => (adjusting.value = level) : undefined}
          close={() => openProduct(undefined)}
        />
      )}
      {adjusting.value && adjust && (
        <AdjustDialog action={adjust} of={adjusting.value} close={() => (adjusting.value = undefined)} />
      )}
    </ScreenFrame>
  )
}
