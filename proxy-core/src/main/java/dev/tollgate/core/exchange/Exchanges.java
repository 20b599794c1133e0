package dev.tollgate.core.exchange;

import dev.tollgate.core.catalog.Modality;
import dev.tollgate.core.catalog.Model;
import dev.tollgate.core.endpoint.ChatCall;
import dev.tollgate.core.endpoint.ChatRequest;
import dev.tollgate.core.endpoint.CreditsAnswer;
import dev.tollgate.core.endpoint.KeyAnswer;
import dev.tollgate.core.endpoint.KeyScopes;
import dev.tollgate.core.endpoint.ModelList;
import dev.tollgate.core.fault.ErrorCode;
import dev.tollgate.core.fault.Fault;
import dev.tollgate.core.id.ModelId;
import dev.tollgate.core.json.JsonBytes;
import dev.tollgate.core.ledger.Ledger;
import dev.tollgate.core.ledger.Standings;
import dev.tollgate.core.limit.Draw;
import dev.tollgate.core.limit.Drawn;
import dev.tollgate.core.limit.Limits;
import dev.tollgate.core.routing.RoutePlan;
import dev.tollgate.core.tenant.ApiKey;
import dev.tollgate.core.upstream.Upstreams;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers authenticated requests: from the catalog at once, from the books through an {@link
 * Enquiry}, or through an {@link Exchange}.
 */
public final class Exchanges implements RequestService {
  /** A request that was answered before anything could happen to it. */
  private static final Running ANSWERED =
      new Running() {
        @Override
        public void clientLeft(ClientExit exit) {}

        @Override
        public void writabilityChanged() {}

        @Override
        public void cutShort(Fault fault) {}
      };

  private static final Logger LOG = LoggerFactory.getLogger(Exchanges.class);

  private final ExchangeContext context;

  /** What is to be done with a request, before anything was done. */
  private sealed interface Decision {
    record Admitted(Exchange exchange) implements Decision {}

    record Asked(Enquiry enquiry) implements Decision {}

    record Found(JsonBytes json) implements Decision {}

    record Refused(Fault fault, Ending ending) implements Decision {}
  }

  /**
   * @param rows writes a request's line for the request log, a JSON object
   */
  public Exchanges(
      Upstreams upstreams,
      InflightBytes inflight,
      Ledger ledger,
      Standings standings,
      Limits limits,
      Observer observer,
      Function<RequestRecord, byte[]> rows,
      ExchangeOptions options) {
    this.context =
        new ExchangeContext(
            upstreams,
            inflight,
            ledger,
            standings,
            limits,
            observer,
            rows,
            new DrainQuota(),
            options);
  }

  @Override
  public Running start(ExchangeRequest request, Downstream downstream) {
    return switch (decided(request, downstream)) {
      case Decision.Admitted admitted -> {
        admitted.exchange().begin();
        yield admitted.exchange();
      }
      case Decision.Asked asked -> {
        asked.enquiry().begin();
        yield asked.enquiry();
      }
      case Decision.Found found -> {
        ending(request, downstream).answer(found.json());
        yield ANSWERED;
      }
      case Decision.Refused refused -> {
        ending(request, downstream).refuse(refused.fault(), refused.ending());
        yield ANSWERED;
      }
    };
  }

  /** A fault of ours is told once to the log, and decides like any other. */
  private Decision decided(ExchangeRequest request, Downstream downstream) {
    try {
      return decide(request, downstream);
    } catch (RuntimeException surprise) {
      LOG.error("request {} failed", request.id(), surprise);
      return new Decision.Refused(Exchange.SURPRISE, Ending.INTERNAL_ERROR);
    }
  }

  private Decision decide(ExchangeRequest request, Downstream downstream) {
    return switch (request.endpoint()) {
      case CHAT_COMPLETIONS -> chat(request, downstream);
      case MODELS -> listed(ModelList.list(request.catalog(), request.key(), request.argument()));
      case MODEL -> listed(ModelList.one(request.catalog(), request.key(), request.argument()));
      case KEY -> {
        ApiKey key = request.key();
        Draw look = context.limits().rules().get().look(request.id(), key);
        yield asked(
            request,
            downstream,
            (standing, to) ->
                levels(
                    look,
                    downstream,
                    drawn -> to.accept(KeyAnswer.of(key, standing, look, drawn))));
      }
      case CREDITS ->
          asked(
              request,
              downstream,
              (standing, to) -> to.accept(CreditsAnswer.of(request.key(), standing)));
    };
  }

  private void levels(Draw look, Downstream downstream, Consumer<Drawn> to) {
    if (look.takes().isEmpty()) {
      to.accept(new Drawn.Taken(List.of()));
    } else {
      context.limits().counters().take(look, downstream.loop(), to);
    }
  }

  private Decision asked(ExchangeRequest request, Downstream downstream, Enquiry.Form form) {
    return new Decision.Asked(new Enquiry(context, request, downstream, form));
  }

  private static Decision listed(ModelList.Answer answer) {
    return switch (answer) {
      case ModelList.Answer.Refused refused -> refused(refused.fault());
      case ModelList.Answer.Found found -> new Decision.Found(found.json());
    };
  }

  private Decision chat(ExchangeRequest request, Downstream downstream) {
    return switch (ChatRequest.parse(request.body().bytes(), request.body().length())) {
      case ChatRequest.Parsed.Refused refused -> refused(refused.fault());
      case ChatRequest.Parsed.Valid valid -> route(request, downstream, valid.request());
    };
  }

  /** The order of refusals is DECISIONS 1: model scope, existence, modality scope. */
  private Decision route(ExchangeRequest request, Downstream downstream, ChatRequest chat) {
    ModelId id = chat.model();
    if (!KeyScopes.allowsModel(request.key(), id.toString())) {
      return about(ErrorCode.MODEL_NOT_ALLOWED, "the key may not use the model " + id);
    }
    Optional<Model> found = request.catalog().model(id);
    if (found.isEmpty()) {
      return about(ErrorCode.MODEL_NOT_FOUND, "there is no model " + id);
    }
    Model model = found.get();
    if (!KeyScopes.allowsModality(request.key(), model)) {
      return about(
          ErrorCode.MODALITY_NOT_ALLOWED,
          "the key may not use " + model.modality().wire() + " models");
    }
    if (model.modality() != Modality.CHAT) {
      return refused(Fault.invalid("model", id + " is not a chat model"));
    }
    var call = new ChatCall(request.id(), chat, model);
    RoutePlan plan = RoutePlan.byPriority(model, request.catalog().attemptsMax());
    return new Decision.Admitted(new Exchange(context, request, downstream, call, plan));
  }

  private static Decision about(ErrorCode code, String message) {
    return refused(new Fault(code, message, "model", null, 0, false, Map.of()));
  }

  private static Decision refused(Fault fault) {
    return new Decision.Refused(fault, Ending.REJECTED);
  }

  /** Nothing of the body is needed any more, and what follows may throw. */
  private ShortReply ending(ExchangeRequest request, Downstream downstream) {
    request.body().end();
    return new ShortReply(context.observer(), request, downstream);
  }
}
