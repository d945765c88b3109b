-- A level shows what its product is called and when it runs low: whoever reads what was changed since then hears of that too.
CREATE OR REPLACE FUNCTION app.describe_stock() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE stock_levels SET sku = NEW.sku, name = NEW.name, reorder_level = NEW.reorder_level,
    updated_at = greatest(updated_at, NEW.updated_at)
  WHERE tenant_id = NEW.tenant_id AND product_id = NEW.id;
  RETURN NULL;
END $$;
