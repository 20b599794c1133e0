package dev.tollgate.core.dialect;

import dev.tollgate.core.dialect.UpstreamFailure.Kind;
import java.util.List;
import java.util.Set;

/**
 * Kinds of the errors that providers report, by status, code and words: one table for all dialects
 * (docs/decisions/retries.md#words-of-providers). Its first row that fits counts; without one, the
 * status.
 *
 * <p>A message may quote what the client wrote. So words affect a key only outside of quotations,
 * at the beginning of a message that names no field of the request.
 */
public final class ErrorKinds {
  private static final Set<Integer> REJECTED = Set.of(400, 422);
  private static final Set<Integer> TOO_LONG = Set.of(400, 413, 422);
  private static final Set<Integer> REFUSED = Set.of(400, 403, 422);
  private static final Set<Integer> UNPAID = Set.of(400, 403, 422, 429);

  // Rates, and sizes of things that are not the whole prompt.
  private static final String NO_RATE =
      " & !per minute|per min|per day|per hour|per second|tpm|tpd|rpm|rate limit*|ratelimit*|quota*"
          + "|too many requests|please wait";
  private static final String NO_PART =
      NO_RATE
          + "|string|strings|array|arrays|list|character*|byte*|mb|kb|gb|mib|pixel*|second*|minute*"
          + "|page|pages|file|files|filename|image|images|audio|video|pdf|document|documents|tool"
          + "|tools|function|functions|schema|schemas|name|names|description|id|ids|stop|batch"
          + "|member|metadata|items|texts|cache*|per request|output tokens|output token"
          + "|completion tokens|invalid token*|minimum|temperature|sequences";

  // A value of the client that a message repeats without quotation marks.
  private static final String NO_VALUE =
      " & !is not a valid|is not one of|is not of type|not a valid value|expected|should be"
          + "|must be one of|invalid value|does not match|unrecognized|unknown field|extra inputs";

  private static final String TOO_MUCH =
      "exceed*|too long|too many|too large|longer than|larger than|greater than|more than|must be <="
          + "|less than"
          + "|limit|limits|maximum|max|only supports|reduce the length|range of|overflow*";

  private static final List<Row> TABLE =
      List.of(
          // Content filters: a refusal is not routed around.
          row(
              REFUSED,
              Kind.CONTENT_FILTERED,
              "code:content_filter|content_policy|responsibleaipolicyviolation|moderation_blocked"
                  + "|data_inspection_failed|safety_check"),
          row(
              REFUSED,
              Kind.CONTENT_FILTERED,
              "content_filter*|content_policy*|content management*|content filtering polic*"
                  + "|responsibleaipolicyviolation|usage guidelines|safety system|safety_check*"
                  + "|inappropriate content"),
          row(Set.of(403), Kind.CONTENT_FILTERED, "code:moderation|flagged"),
          row(Set.of(403), Kind.CONTENT_FILTERED, "moderation|flagged"),

          // Files of a request that this key cannot read.
          row(
              Set.of(403),
              Kind.REJECTED,
              "^you do not have permission to access the file|permission denied while accessing"
                  + " input file|cachedcontent not found"),

          // A rate below the request alone, or for now.
          row(Set.of(413), Kind.LIMIT_TOO_LOW, "code:rate_limit_exceeded"),
          row(Set.of(429), Kind.LIMIT_TOO_LOW, "^request too large"),
          row(
              REFUSED,
              Kind.RATE_LIMITED,
              "code:rate_limit|ratelimit|too_many_requests|throttl|resource_exhausted"),
          affectingKey(
              REFUSED,
              Kind.RATE_LIMITED,
              "^rate limit|too many requests|requests rate limit|request rate|you have exceeded your"
                  + " rate|quota exceeded for & exceed*|too many|reached|limit*"),

          // Prompts that are longer than the model's context.
          row(
              TOO_LONG,
              Kind.CONTEXT_TOO_LONG,
              "code:context_length|exceed_context|context_window|context_too_long|too_many_tokens"
                  + "|model_max_prompt_tokens|tokens_limit_reached|prompt_too_long|input_too_long"),
          row(
              TOO_LONG,
              Kind.CONTEXT_TOO_LONG,
              "context_length_exceeded|contextwindowexceedederror|context_window_exceeded"),
          row(
              TOO_LONG,
              Kind.CONTEXT_TOO_LONG,
              "context length|context window|context size|context limit|contextlength & "
                  + TOO_MUCH
                  + "|greater|longer|larger|increase|only|fit|fits"
                  + NO_RATE),
          row(
              TOO_LONG,
              Kind.CONTEXT_TOO_LONG,
              "long context & extra usage|not yet available|not available & !tool*|cache*"),
          row(
              TOO_LONG,
              Kind.CONTEXT_TOO_LONG,
              "prompt|input|inputs|messages|request|conversation|context|total & token* & "
                  + TOO_MUCH
                  + NO_PART),
          row(
              TOO_LONG,
              Kind.CONTEXT_TOO_LONG,
              "prompt|input|inputs|message|messages|conversation|context|text & too long|too large"
                  + NO_PART),
          row(
              TOO_LONG,
              Kind.CONTEXT_TOO_LONG,
              "prompt|input|inputs|messages|request|sequence & length|lengths & "
                  + TOO_MUCH
                  + NO_PART),
          row(
              TOO_LONG,
              Kind.CONTEXT_TOO_LONG,
              "input_tokens|prompt_tokens|num_tokens|max_input_tokens & " + TOO_MUCH + NO_RATE),
          row(
              TOO_LONG,
              Kind.CONTEXT_TOO_LONG,
              "max message tokens|token limit exceeded|tokens limit exceeded|too many tokens"
                  + "|exceeds token limit|exceeds the token limit"
                  + NO_RATE
                  + "|output"),
          row(
              REJECTED,
              Kind.TOO_LARGE,
              "^request payload size exceeds|request entity too large|request body too large"
                  + "|request exceeds the maximum size|maximum content size limit"),

          // Models that this account does not have.
          row(
              REFUSED,
              Kind.MODEL_MISSING,
              "code:model_decommissioned|model_not_found|deploymentnotfound|model_not_available"
                  + "|model_deprecated|unknown_model|invalid_model|model_not_supported"
                  + "|unsupported_model|model_not_exist|modelnotopen"),
          row(
              REFUSED,
              Kind.MODEL_MISSING,
              "^your organization must be verified|your account has not activated the model"),
          row(REFUSED, Kind.MODEL_MISSING, "not allowed to sample & model"),
          row(
              REFUSED,
              Kind.MODEL_MISSING,
              "^invalid model|unknown model|unsupported model|model not supported|model is not supported"
                  + "|model not exist|model not found|no such model|invocation of model id|the provided model identifier is invalid"
                  + "|operation not allowed & !parameter*|tool*|field"),
          row(REFUSED, Kind.MODEL_MISSING, "is not a valid model id|is not a valid model"),
          row(REFUSED, Kind.MODEL_MISSING, "does not support chat|does not support generate"),
          row(
              REFUSED,
              Kind.MODEL_MISSING,
              "^model|the model|this model|the requested model|requested model|models & does not"
                  + " exist|not found|has been deprecated|has been retired|has been removed|was removed"
                  + "|decommissioned|no longer available|no longer supported|reached the end|end of"
                  + " life|is not available|is unavailable|is not enabled|not activated|not deployed"
                  + "|has not been enabled|requires a paid|requires a subscription|is only available"
                  + " & !parameter*|field|tool*|image*|temperature|response_format"),
          row(
              REFUSED,
              Kind.MODEL_MISSING,
              "access & model|models & access to this model|access to the model|access to model"
                  + "|not have access|don t have access|no access|not have permission|access denied"
                  + "|is not allowed|not authorized & !tool*|file*"),
          row(
              REFUSED,
              Kind.MODEL_MISSING,
              "model|models & not available|not supported|unavailable|unsupported|not enabled"
                  + " & your country|your region|this region|the region|your location|this location"
                  + "|your account|your plan|your subscription|your organization|your project"
                  + "|your tier"),

          // The operator's account.
          row(
              REFUSED,
              Kind.CREDENTIAL_REFUSED,
              "code:invalid_api_key|api_key_invalid|api_key_expired|invalid_x_api_key|arrearage"
                  + "|accountoverdue|account_deactivated|account_suspended|billing|insufficient_quota"
                  + "|insufficient_balance|insufficient_credit|exceeded_current_quota"
                  + "|unsupported_country|budget_exceeded"),
          row(
              Set.of(429),
              Kind.CREDENTIAL_REFUSED,
              "code:insufficient_quota|billing_hard_limit|billing_not_active|arrearage"
                  + "|accountoverdue|account_deactivated|insufficient_balance|insufficient_credit"
                  + "|exceeded_current_quota"),
          affectingKey(
              REJECTED,
              Kind.CREDENTIAL_REFUSED,
              "code:failed_precondition & location|country|region|territory|billing"
                  + " & !file*|cachedcontent*"),
          affectingKey(
              UNPAID,
              Kind.CREDENTIAL_REFUSED,
              "^your credit balance|insufficient balance|insufficient credit*|insufficient account"
                  + "|insufficient fund*|insufficient quota|insufficient user quota|your balance"
                  + "|account balance|payment required|your payment|billing account|billing is"
                  + "|your prepayment credit*|your prepaid credit*|billing hard limit|budget has been exceeded|your newly created team|your trial"
                  + "|payment method|please add a payment|please add credit*|please top up|credit limit"
                  + "|your api usage limit*|no credits|not enough credit*|out of credit*|you are out of credit*"
                  + "|this api method requires billing"),
          affectingKey(
              UNPAID,
              Kind.CREDENTIAL_REFUSED,
              "^you have reached your|you have reached the|you have exceeded your|you have hit your"
                  + "|you ve reached your|you have run out of|you have no|you don t have enough"
                  + "|your team|your workspace|this workspace|monthly|spending limit|spend limit"
                  + " & usage limit*|spending limit*|spend limit*|billing|credit*|balance|budget"
                  + "|spend cap"),
          affectingKey(
              UNPAID,
              Kind.CREDENTIAL_REFUSED,
              "^your account|the account|this account|account|your organization|this organization"
                  + "|organization|your project|this project|your subscription|api access"
                  + "|access denied & disabled|suspended|expired|ended|cancelled"
                  + "|deactivated|not active|inactive|past due|overdue|arrears|blocked|restricted"
                  + "|terminated|frozen|locked|good standing|balance|billing|not authorized|recharge"
                  + "|banned|closed"),
          affectingKey(
              REFUSED,
              Kind.CREDENTIAL_REFUSED,
              "^user location is not supported|country region or territory not supported|unsupported"
                  + " country|unsupported region|gemini api free tier|this service is not available"
                  + " & country|location|region|territory"),
          affectingKey(
              REFUSED,
              Kind.CREDENTIAL_REFUSED,
              "^incorrect api key|invalid api key|invalid api_key|invalid x api key|missing api key"
                  + "|no api key|api key not valid|api key expired|api key not found"
                  + "|invalid authentication|authentication fail*|invalid credential*|unauthorized"
                  + "|invalid access token|access token expired"),
          affectingKey(
              REFUSED,
              Kind.CREDENTIAL_REFUSED,
              "^api key|the api key|your api key|this api key|your key|this key & invalid|not valid|expired|disabled"
                  + "|revoked|leaked|deleted|blocked|not found|inactive|suspended"));

  /**
   * A row of the table.
   *
   * @param affectsKey true if the key pays for the failure: then the message must name no field
   */
  private record Row(Set<Integer> statuses, Kind kind, boolean affectsKey, ErrorWords words) {}

  private ErrorKinds() {}

  private static Row row(Set<Integer> statuses, Kind kind, String words) {
    return new Row(statuses, kind, false, ErrorWords.of(words));
  }

  private static Row affectingKey(Set<Integer> statuses, Kind kind, String words) {
    return new Row(statuses, kind, true, ErrorWords.of(words + NO_VALUE));
  }

  /** Returns the kind of an error. */
  public static Kind of(int status, ErrorBody error) {
    var text = ErrorWords.Text.of(error);
    var own = ErrorWords.Text.withoutQuotations(error);
    for (Row row : TABLE) {
      if (row.statuses.contains(status)
          && (!row.affectsKey || error.param() == null)
          && row.words.areIn(row.affectsKey ? own : text)) {
        return row.kind;
      }
    }
    return ofStatus(status);
  }

  private static Kind ofStatus(int status) {
    return switch (status) {
      case 400, 422 -> Kind.REJECTED;
      case 401, 402, 403 -> Kind.CREDENTIAL_REFUSED;
      case 404 -> Kind.MODEL_MISSING;
      case 413 -> Kind.TOO_LARGE;
      case 429 -> Kind.RATE_LIMITED;
      case 408 -> Kind.SERVER_ERROR;
      default -> status >= 500 && status < 600 ? Kind.SERVER_ERROR : Kind.UNEXPECTED_REPLY;
    };
  }
}
