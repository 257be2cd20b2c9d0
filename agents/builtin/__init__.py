"""The built-in expert: a team without a language model, which follows a playbook of CUDA kernel templates."""
