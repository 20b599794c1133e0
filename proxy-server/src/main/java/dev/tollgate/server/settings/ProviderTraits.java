package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.dialect.registry.Dialects;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Annotation of a {@link ProviderSettings} record with the constants of its provider type: dialect,
 * key header, modalities.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface ProviderTraits {
  /** Name of the dialect in {@link Dialects}. */
  String dialect();

  /** Request header that carries the key, in lower case: it cannot be configured as well. */
  String keyHeader() default "authorization";

  /** Modalities of the models that routes may name; empty means all. */
  Modality[] modalities() default {};
}
