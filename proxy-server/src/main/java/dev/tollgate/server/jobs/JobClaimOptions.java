package dev.tollgate.server.jobs;

import dev.tollgate.core.id.OrgId;
import java.util.Map;
import java.util.Set;

/**
 * Parameters of one claim of due jobs by a node. They make it fair: organizations take turns at
 * each provider, and a provider that does not answer must not occupy all workers.
 *
 * @param limit jobs to claim
 * @param lastOrg the organization of the last turn
 * @param lastProvider the provider of the last turn
 * @param inWork jobs in work on the node, by provider
 * @param share the most workers of one provider while other providers have due jobs
 * @param closedProviders providers that accept no new jobs at present
 */
public record JobClaimOptions(
    int limit,
    OrgId lastOrg,
    String lastProvider,
    Map<String, Integer> inWork,
    int share,
    Set<String> closedProviders) {
  public JobClaimOptions {
    inWork = Map.copyOf(inWork);
    closedProviders = Set.copyOf(closedProviders);
  }
}
