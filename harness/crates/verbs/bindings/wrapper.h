/* What bindings/generate reads: verbs.h, and where the fields of verbs_context
 * that we use lie. That structure grows at its front, so only the distance of a
 * field from `context`, its last member, is the same in every release. */
#include <stddef.h>
#include <infiniband/verbs.h>

enum verbs_context_distance {
	VERBS_CONTEXT_SZ = offsetof(struct verbs_context, context) - offsetof(struct verbs_context, sz),
	VERBS_CONTEXT_QUERY_PORT =
		offsetof(struct verbs_context, context) - offsetof(struct verbs_context, query_port),
};
