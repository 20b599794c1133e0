/**
 * The provider seam: translation between the gateway's canonical form, which is OpenAI's, and the
 * wire formats of providers.
 *
 * <p>A {@code Dialect} is stateless and knows one wire format: the target of each operation, the
 * fields that carry a credential, the framing of streams, and the meaning of errors as an {@code
 * UpstreamFailure}. For a format other than OpenAI's it also returns translations by operation:
 *
 * <ul>
 *   <li>{@code ChatTranslation}, {@code EmbeddingTranslation} and {@code ImageTranslation} build a
 *       {@code TranslatedRequest} from the canonical JSON and list the fields they had to drop.
 *   <li>{@code ReplyTranslation} turns a plain reply into a {@code TranslatedReply}, and a
 *       provider's events into canonical chunks: a {@code TranslatedStream} reads the events and
 *       writes through {@code CanonicalChunks}.
 *   <li>{@code UsageFormat} reads the provider's usage object into the counts that are charged.
 * </ul>
 *
 * <p>What providers refuse alike has one place: {@code ClientTools} replaces names of tools and the
 * older functions, and {@code CallRestoration} brings the calls of a reply back; {@code
 * ResultParts} divides the content of tools' results; {@code SchemaReducer} reduces schemas by
 * {@code SchemaRules}.
 *
 * <p>Translations copy strings as byte ranges wherever the text stays the same, and never decode
 * images. What a translation cannot read stays as it is, and the reader of the canonical form
 * reports it. Servers that deviate from OpenAI's format in details have no dialect: {@code
 * AdaptedChat} edits their requests as {@code OpenAiQuirks} describe.
 *
 * <p>To add a provider, write a package with a {@code Dialect} and its translations, name it in
 * {@code registry.Dialects}, and describe its settings; docs/adding-a-provider.md shows each step
 * with a fictitious dialect. Code that several dialects need belongs here: optional members in
 * {@code JsonReads}, parts of a reply in {@code CanonicalReply}, errors in {@code ErrorBody}.
 */
@NullMarked
package dev.tollgate.core.dialect;

import org.jspecify.annotations.NullMarked;
